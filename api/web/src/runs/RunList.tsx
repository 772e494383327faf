import type { RunLineFragment } from "../generated/operations";
import { when, words } from "../language/language";
import { link } from "../place";
import { Progress } from "./Progress";
import { StatusTag } from "./StatusTag";
import { useProgress } from "./useProgress";

interface Properties {
  runs: readonly RunLineFragment[];
  chosen: string | undefined;
  onRest: () => void;
}

/** Runs, latest first; one that goes on shows how far it is. */
export function RunList({ runs, chosen, onRest }: Properties) {
  return (
    <ul class="run-list">
      {runs.map((run) => (
        <li key={run.id}>
          <Line run={run} isChosen={run.id === chosen} onRest={onRest} />
        </li>
      ))}
    </ul>
  );
}

function Line({ run: stored, isChosen, onRest }: { run: RunLineFragment; isChosen: boolean; onRest: () => void }) {
  const { runs: text } = words.value;
  // A prepared run may wait for days: only those that are at work are listened to here.
  const isAtWork = stored.status === "OBSERVING" || stored.status === "CONFIRMED";
  const run = useProgress(isAtWork ? stored : null, onRest) ?? stored;
  return (
    <a class="card run-line" href={link(["runs", run.id])} aria-current={isChosen ? "true" : undefined}>
      <span class="row apart">
        <strong>{text.origins[run.origin] ?? run.origin}</strong>
        <StatusTag status={run.status} />
      </span>
      <span class="fine">{[when(run.createdAt), run.conversation].filter(Boolean).join(" · ")}</span>
      {run.status === "OBSERVING" && run.progress.batches > 0 && <Progress progress={run.progress} />}
    </a>
  );
}

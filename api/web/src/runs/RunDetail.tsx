import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Run, type RunPartsFragment } from "../generated/operations";
import { heard } from "../language/heard";
import { number, when, words } from "../language/language";
import { Because } from "../pieces/Because";
import { Told } from "../pieces/Told";
import { link, space } from "../place";
import { Decide } from "./Decide";
import { Moves } from "./Moves";
import { PlanDiff } from "./PlanDiff";
import { Progress } from "./Progress";
import { LeftOut, Resolutions } from "./Resolutions";
import { StatusTag } from "./StatusTag";
import { useProgress } from "./useProgress";

/** One run: where it is, what it saw, what it decided, what it wrote or would write. */
export function RunDetail({ id, onChange }: { id: string; onChange: () => void }) {
  const { runs: text, failure: told, codes } = words.value;
  const asked = useAnswer(async (signal) => (await ask(Run, { id, space: space.value }, signal)).updateRun, [id, space.value]);
  const refresh = (): void => {
    asked.again();
    onChange();
  };
  const run: RunPartsFragment | null = useProgress(asked.value, refresh);

  if (!run) {
    if (asked.failure) return <Told failure={asked.failure} again={asked.again} />;
    return asked.busy ? <p class="quiet">{words.value.shell.loading}</p> : <p class="notice">{told.notFound}</p>;
  }
  const waiting = run.observations.filter(({ decision }) => decision === "POSTPONED");
  const written = Object.entries(run.counts).filter(([, count]) => count > 0);
  const isGoingOn = run.status === "OBSERVING";
  return (
    <article class="stack run-detail">
      <header class="stack">
        <a class="fine narrow-only" href={link(["runs"])}>
          ← {text.title}
        </a>
        <div class="row">
          <h2>{text.origins[run.origin] ?? run.origin}</h2>
          <span role="status">
            <StatusTag status={run.status} />
          </span>
        </div>
        <p class="fine">{[when(run.createdAt), run.conversation, run.id].filter(Boolean).join(" · ")}</p>
        {run.reason && <p>{heard(run.reason)}</p>}
      </header>
      {asked.failure && <Told failure={asked.failure} again={asked.again} />}
      {run.origin === "ROLLING" && run.progress.batches > 0 && <Progress progress={run.progress} />}
      {written.length > 0 && (
        <div class="row">
          {written.map(([name, count]) => (
            <span key={name} class="tag">
              {text.counts[name as keyof typeof text.counts]} {number(count)}
            </span>
          ))}
        </div>
      )}
      <Moves run={run} onDone={refresh} />
      {run.violations.length > 0 && (
        <div class="notice bad">
          <strong>{text.violations}</strong>
          {run.violations.map(({ code, path, message }) => (
            <span key={`${code} ${path}`} title={path}>
              <Because word={codes.refused[code]} reason={message} />
            </span>
          ))}
        </div>
      )}
      {isGoingOn ? (
        <p class="quiet">{text.planToCome}</p>
      ) : (
        <section class="stack">
          <h2>{run.status === "APPLIED" || run.status === "UNDONE" ? text.written : text.plan}</h2>
          <PlanDiff steps={run.steps} />
        </section>
      )}
      {waiting.length > 0 && (
        <section class="stack">
          <h2>{text.waiting}</h2>
          <ul class="stack">
            {waiting.map((observation) => (
              <Decide key={observation.id} observation={observation} onDecided={refresh} />
            ))}
          </ul>
        </section>
      )}
      {run.resolutions.length > 0 && <Resolutions resolutions={run.resolutions} />}
      {run.dropped.length > 0 && <LeftOut dropped={run.dropped} />}
      {run.notes.length > 0 && (
        <ul class="fine">
          {run.notes.map((note) => (
            <li key={note}>{heard(note)}</li>
          ))}
        </ul>
      )}
    </article>
  );
}

import { useEffect, useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { listen } from "../connection/live";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import {
  Confirm,
  Progress,
  Reject,
  Resume,
  Run,
  type RunAnswerFragment,
  type RunLineFragment,
  type RunPartsFragment,
  Undo,
} from "../generated/operations";
import { number, when, words } from "../language/language";
import { Answered, Told } from "../pieces/Told";
import { link, space } from "../place";
import { Decide } from "./Decide";
import { PlanDiff } from "./PlanDiff";
import { StatusTag } from "./StatusTag";

const GOING_ON = ["OBSERVING", "CONFIRMED"];

/** One run: where it is, what it saw, what it decided, what it wrote or would write. */
export function RunDetail({ id, onChange }: { id: string; onChange: () => void }) {
  const { runs: text, failure: told } = words.value;
  const asked = useAnswer(async (signal) => (await ask(Run, { id, space: space.value }, signal)).updateRun, [id, space.value]);
  const [live, setLive] = useState<RunLineFragment | null>(null);
  const stored = asked.value;
  const isGoingOn = stored !== null && GOING_ON.includes(stored.status);

  useEffect(() => {
    setLive(null);
    if (!isGoingOn) return undefined;
    return listen(Progress, { runId: id, space: space.value }, ({ updateRunProgress }) => {
      setLive(updateRunProgress);
      if (!GOING_ON.includes(updateRunProgress.status)) {
        asked.again();
        onChange();
      }
    });
  }, [id, isGoingOn]);

  if (asked.failure) return <Told failure={asked.failure} again={asked.again} />;
  if (asked.busy && !stored) return <p class="quiet">{words.value.shell.loading}</p>;
  if (!stored) return <p class="notice">{told.notFound}</p>;
  const run: RunPartsFragment = live ? { ...stored, ...live } : stored;
  const waiting = run.observations.filter(({ decision }) => decision === "POSTPONED");
  const refresh = (): void => {
    asked.again();
    onChange();
  };
  return (
    <article class="stack run-detail">
      <header class="stack">
        <div class="row">
          <h2>{text.origins[run.origin] ?? run.origin}</h2>
          <StatusTag status={run.status} />
        </div>
        <p class="fine">
          {[when(run.createdAt), run.conversation, run.id].join(" · ")}
        </p>
        {run.reason && <p>{run.reason}</p>}
      </header>
      <Numbers run={run} />
      <Actions run={run} onDone={refresh} />
      {run.violations.length > 0 && (
        <div class="notice bad">
          <strong>{text.violations}</strong>
          {run.violations.map(({ code, path, message }) => (
            <span key={`${code} ${path}`}>
              <code>{code}</code> {message}
            </span>
          ))}
        </div>
      )}
      <section class="stack">
        <h2>{run.status === "APPLIED" || run.status === "UNDONE" ? text.written : text.plan}</h2>
        <PlanDiff steps={run.steps} />
      </section>
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
      {run.resolutions.length > 0 && (
        <section class="stack">
          <h2>{text.resolutions}</h2>
          <div class="scrolled" tabIndex={0} role="region" aria-label={text.resolutions}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{text.subject}</th>
                  <th scope="col">{text.decision}</th>
                  <th scope="col">{text.reason}</th>
                </tr>
              </thead>
              <tbody>
                {run.resolutions.map(({ subject, decision, entityUuid, code, reason, candidates }) => (
                  <tr key={`${subject} ${code}`}>
                    <td>{entityUuid ? <a href={link(["entity", entityUuid])}>{subject}</a> : subject}</td>
                    <td>
                      <span class={`tag ${decision === "POSTPONED" ? "writes" : "good"}`}>{text.decisions[decision] ?? decision}</span>
                    </td>
                    <td class="fine">
                      {reason}
                      {decision === "POSTPONED" && candidates.length > 0 && ` (${candidates.map((each) => each.subject).join(" · ")})`}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {run.dropped.length > 0 && (
        <details>
          <summary>{text.dropped(run.dropped.length)}</summary>
          <ul class="dropped">
            {run.dropped.map(({ code, text: said, reason }, place) => (
              <li key={place}>
                <code>{code}</code> {said}
                <p class="fine">{reason}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
      {run.notes.length > 0 && (
        <ul class="fine">
          {run.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </article>
  );
}

function Numbers({ run }: { run: RunPartsFragment }) {
  const { runs: text } = words.value;
  const { progress, counts } = run;
  const written = Object.entries(counts).filter(([, count]) => count > 0);
  const tokens = progress.promptTokens === null ? null : text.tokens(number(progress.promptTokens), number(progress.completionTokens ?? 0));
  return (
    <div class="stack">
      {progress.batches > 0 && (
        <div class="progress">
          <progress max={progress.batches} value={progress.batchesDone} aria-label={text.progress} />
          <span class="fine">
            {text.batches(progress.batchesDone, progress.batches, progress.batchesFailed)}
            {tokens && ` · ${tokens}`}
            {progress.seconds > 0 && ` · ${text.seconds(progress.seconds.toFixed(1))}`}
          </span>
        </div>
      )}
      {written.length > 0 && (
        <div class="row">
          {written.map(([name, count]) => (
            <span key={name} class="tag">
              {text.counts[name as keyof typeof text.counts]} {number(count)}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

type Move = "confirm" | "reject" | "resume" | "undo";

const MOVES: Partial<Record<RunPartsFragment["status"], Move[]>> = {
  PREPARED: ["confirm", "reject"],
  PARTIAL: ["resume", "reject"],
  OBSERVING: ["resume"],
  FAILED: [],
  APPLIED: ["undo"],
};

function Actions({ run, onDone }: { run: RunPartsFragment; onDone: () => void }) {
  const { runs: text } = words.value;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [answer, setAnswer] = useState<RunAnswerFragment | null>(null);
  const moves = MOVES[run.status] ?? [];

  const make = async (move: Move): Promise<void> => {
    const which = { runId: run.id, space: space.value };
    setBusy(true);
    setFailure(null);
    setAnswer(null);
    try {
      const answered =
        move === "confirm"
          ? (await ask(Confirm, which)).confirmUpdate
          : move === "reject"
            ? (await ask(Reject, which)).rejectUpdate
            : move === "resume"
              ? (await ask(Resume, which)).resumeUpdate
              : (await ask(Undo, which)).undoUpdate;
      setAnswer(answered);
      if (answered.__typename === "UpdateRun") onDone();
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  if (moves.length === 0 && !answer) return null;
  return (
    <div class="stack">
      <div class="row">
        {moves.map((move) => (
          <button
            key={move}
            type="button"
            class={`button ${move === "confirm" ? "writes" : ""}`}
            disabled={busy || (move === "confirm" && run.violations.length > 0)}
            onClick={() => void make(move)}
          >
            {text.moves[move]}
          </button>
        ))}
      </div>
      <div role="status">
        {failure && <Told failure={failure} />}
        {answer && answer.__typename !== "UpdateRun" && <Answered result={answer} />}
      </div>
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { ask } from "../connection/request";
import { Confirm, Reject, type RunAnswerFragment } from "../generated/operations";
import { words } from "../language/language";
import { Because } from "../pieces/Because";
import { Dialog } from "../pieces/Dialog";
import { Answered, Told } from "../pieces/Told";
import { space } from "../place";
import { PlanDiff } from "../runs/PlanDiff";

type Run = Extract<RunAnswerFragment, { __typename: "UpdateRun" }>;

interface Planned {
  busy: boolean;
  /** What went wrong, or that nothing would change. */
  told: ComponentChildren;
  /** The diff with its two buttons, while a plan waits. */
  dialog: ComponentChildren;
  propose: (ask: () => Promise<RunAnswerFragment>) => Promise<void>;
}

/** An edit as a plan: proposed, shown as a diff, and landed or thrown away by the reader. */
export function usePlan(onLanded: (run: Run) => void): Planned {
  const { edit: text, codes } = words.value;
  const [waiting, setWaiting] = useState<Run | null>(null);
  const [answer, setAnswer] = useState<RunAnswerFragment | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);

  const send = async (question: () => Promise<RunAnswerFragment>): Promise<RunAnswerFragment | null> => {
    setBusy(true);
    setFailure(null);
    setAnswer(null);
    try {
      const answered = await question();
      setAnswer(answered);
      return answered;
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const propose = async (question: () => Promise<RunAnswerFragment>): Promise<void> => {
    const answered = await send(question);
    if (answered?.__typename === "UpdateRun" && answered.status === "PREPARED") setWaiting(answered);
  };
  const land = async (run: Run): Promise<void> => {
    const answered = await send(async () => (await ask(Confirm, { runId: run.id, space: space.value })).confirmUpdate);
    if (answered?.__typename !== "UpdateRun") return;
    if (answered.status === "APPLIED") {
      setWaiting(null);
      onLanded(answered);
    } else setWaiting(answered);
  };
  const discard = async (run: Run): Promise<void> => {
    await send(async () => (await ask(Reject, { runId: run.id, space: space.value })).rejectUpdate);
    setWaiting(null);
    setAnswer(null);
  };

  const told = (
    <div role="status">
      {failure && <Told failure={failure} />}
      {answer && answer.__typename !== "UpdateRun" && <Answered result={answer} />}
      {answer?.__typename === "UpdateRun" && answer.status === "NO_CHANGE" && <p class="notice">{text.noChange}</p>}
    </div>
  );
  const dialog = waiting && (
    <Dialog title={text.diffTitle} broad onClose={() => void discard(waiting)}>
      <p class="quiet">{text.diffTold}</p>
      <PlanDiff steps={waiting.steps} />
      {waiting.violations.map(({ code, path, message }) => (
        <p key={`${code} ${path}`} class="notice bad" role="alert">
          <Because word={codes.refused[code]} reason={message} />
        </p>
      ))}
      {told}
      <div class="dialog-end">
        <button type="button" class="button" disabled={busy} onClick={() => void discard(waiting)}>
          {text.throwAway}
        </button>
        <button
          type="button"
          class="button writes"
          disabled={busy || waiting.violations.length > 0}
          onClick={() => void land(waiting)}
        >
          {text.land}
        </button>
      </div>
    </Dialog>
  );
  return { busy, told: waiting ? null : told, dialog, propose };
}

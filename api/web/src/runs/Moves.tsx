import { useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { ask } from "../connection/request";
import { Confirm, Reject, Resume, type RunAnswerFragment, type RunPartsFragment, Undo } from "../generated/operations";
import { words } from "../language/language";
import { Answered, Told } from "../pieces/Told";
import { space } from "../place";

type Move = "confirm" | "reject" | "resume" | "undo";

const MOVES: Partial<Record<RunPartsFragment["status"], Move[]>> = {
  PREPARED: ["confirm", "reject"],
  PARTIAL: ["resume", "reject"],
  OBSERVING: ["resume"],
  APPLIED: ["undo"],
};

/** A run in work writes its progress down; one that has not for so long can be taken up by another process. */
const SURELY_STOPPED = 60_000;

type Which = { runId: string; space: string };

const ASK: Record<Move, (which: Which) => Promise<RunAnswerFragment>> = {
  confirm: async (which) => (await ask(Confirm, which)).confirmUpdate,
  reject: async (which) => (await ask(Reject, which)).rejectUpdate,
  resume: async (which) => (await ask(Resume, which)).resumeUpdate,
  undo: async (which) => (await ask(Undo, which)).undoUpdate,
};

/** What can be done with a run where it stands. */
export function Moves({ run, onDone }: { run: RunPartsFragment; onDone: () => void }) {
  const { runs: text } = words.value;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [answer, setAnswer] = useState<RunAnswerFragment | null>(null);
  // What was forgotten is gone from the record as well: there is nothing to undo.
  const isForgetting = run.origin === "CURATION" && run.steps.length === 0;
  const isAtWork = run.status === "OBSERVING" && Date.now() - Date.parse(run.updatedAt) < SURELY_STOPPED;
  const moves = isForgetting || isAtWork ? [] : (MOVES[run.status] ?? []);

  const make = async (move: Move): Promise<void> => {
    setBusy(true);
    setFailure(null);
    setAnswer(null);
    try {
      const answered = await ASK[move]({ runId: run.id, space: space.value });
      setAnswer(answered);
      if (answered.__typename === "UpdateRun") onDone();
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  if (moves.length === 0 && !answer && !failure) return null;
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

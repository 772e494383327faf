import type { RunLineFragment } from "../generated/operations";
import { number, words } from "../language/language";

/** How far a run is, and what the model took: tokens and time, as far as it told. */
export function Progress({ progress }: { progress: RunLineFragment["progress"] }) {
  const { runs: text } = words.value;
  const { batches, batchesDone, batchesFailed, promptTokens, completionTokens, seconds } = progress;
  const told = [
    text.batches(batchesDone, batches, batchesFailed),
    promptTokens === null ? null : text.tokens(number(promptTokens), number(completionTokens ?? 0)),
    seconds > 0 ? text.seconds(seconds.toFixed(1)) : null,
  ];
  return (
    <span class="progress">
      <progress max={batches} value={batchesDone} aria-label={text.progress} />
      <span class="fine">{told.filter(Boolean).join(" · ")}</span>
    </span>
  );
}

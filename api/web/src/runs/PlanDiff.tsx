import type { RunPartsFragment } from "../generated/operations";
import { heard } from "../language/heard";
import { words } from "../language/language";
import { Cut } from "../pieces/Cut";
import { EvidenceList } from "../pieces/EvidenceList";
import { link } from "../place";

/** As many as the operations ask for. */
const MOST_STEPS = 60;
const MOST_CHANGES = 40;

type Step = RunPartsFragment["steps"][number];
type Change = Step["changes"][number];

/** A plan, step by step: what goes is struck out, what comes stands below it, the texts behind it under both. */
export function PlanDiff({ steps }: { steps: readonly Step[] }) {
  const { runs: text } = words.value;
  if (steps.length === 0) return <p class="quiet">{text.noSteps}</p>;
  return (
    <>
    <ol class="plan">
      {steps.map((step, place) => (
        <li key={place} class="plan-step">
          <div class="row">
            <span class="tag accent">{text.steps[step.kind] ?? step.kind}</span>
            <h3>{step.entityUuid ? <a href={link(["entity", step.entityUuid])}>{step.subject}</a> : step.subject}</h3>
          </div>
          <ul class="changes">
            {step.changes.map((change, at) => (
              <ChangeLine key={at} change={change} />
            ))}
          </ul>
          <Cut all={step.changes} most={MOST_CHANGES} />
        </li>
      ))}
    </ol>
    <Cut all={steps} most={MOST_STEPS} />
    </>
  );
}

function ChangeLine({ change }: { change: Change }) {
  const { runs: text } = words.value;
  return (
    <li class="change">
      <span class="change-kind">
        {text.parts[change.part] ?? change.part}
        <small>{text.changes[change.kind] ?? change.kind}</small>
      </span>
      <div>
        {change.before !== null && (
          <del>
            <span class="sign" aria-hidden="true">
              −
            </span>
            {change.before}
          </del>
        )}
        {change.after !== null && (
          <ins>
            <span class="sign" aria-hidden="true">
              +
            </span>
            {change.part === "ALIAS" && change.kind === "REMOVED" ? heard(change.after) : change.after}
          </ins>
        )}
        {change.reason && <p class="fine">{heard(change.reason)}</p>}
        {change.evidence.length > 0 && (
          <details>
            <summary>{text.evidence(change.evidence.length)}</summary>
            <EvidenceList evidence={change.evidence} />
          </details>
        )}
      </div>
    </li>
  );
}

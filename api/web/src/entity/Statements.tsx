import { when, words } from "../language/language";
import { Cut } from "../pieces/Cut";
import { Degree } from "../pieces/Degree";
import { EvidenceList } from "../pieces/EvidenceList";
import { useSome } from "../pieces/useSome";
import type { Statement } from "./EntityView";

/** As many as the operation asks for. */
const MOST = 200;

interface Properties {
  kind: "impression" | "feature";
  statements: readonly Statement[];
  busy: boolean;
  onAdd: () => void;
  onEdit: (statement: Statement) => void;
  onRemove: (statement: Statement) => void;
}

/** Impressions or features, each with how sure it is and the texts behind it. */
export function Statements({ kind, statements, busy, onAdd, onEdit, onRemove }: Properties) {
  const { entity: text, edit } = words.value;
  const { shown, more } = useSome(statements, 50);
  return (
    <section class="card panel">
      <div class="row apart">
        <h2>{kind === "impression" ? text.impressions : text.features}</h2>
        <button type="button" class="button slim bare" aria-label={edit.titles[kind]} onClick={onAdd}>
          + {edit.add}
        </button>
      </div>
      <p class="fine">{kind === "impression" ? text.impressionsTold : text.featuresTold}</p>
      {statements.length === 0 && <p class="quiet">{text.nothing}</p>}
      <ul class="lines">
        {shown.map((statement) => (
          <li key={statement.uuid} class="statement">
            <p>{statement.text}</p>
            <div class="row">
              <Degree value={statement.confidence} label={text.confidence} />
              <span class="fine">
                {statement.evidence.length > 0 || statement.support === 0 ? text.supported(statement.support) : `${text.support} ${statement.support}`} ·{" "}
                {when(statement.createdAt)}
                {statement.updatedAt !== statement.createdAt && ` – ${when(statement.updatedAt)}`}
              </span>
              <span class="row-end">
                <button type="button" class="button slim bare" aria-label={edit.changeNamed(statement.text)} onClick={() => onEdit(statement)}>
                  {edit.change}
                </button>
                <button
                  type="button"
                  class="button slim bare"
                  aria-label={edit.removeNamed(statement.text)}
                  disabled={busy}
                  onClick={() => onRemove(statement)}
                >
                  {edit.remove}
                </button>
              </span>
            </div>
            {statement.evidence.length > 0 && (
              <details>
                <summary>{words.value.runs.evidence(statement.evidence.length)}</summary>
                <EvidenceList evidence={statement.evidence} />
              </details>
            )}
          </li>
        ))}
      </ul>
      {more}
      <Cut all={statements} most={MOST} />
    </section>
  );
}

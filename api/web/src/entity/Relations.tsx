import { words } from "../language/language";
import { Degree } from "../pieces/Degree";
import { EvidenceList } from "../pieces/EvidenceList";
import { link } from "../place";
import type { Entity } from "./EntityView";

interface Properties {
  entity: Entity;
  busy: boolean;
  onAdd: () => void;
  onRemove: (relationUuid: string) => void;
}

/** Relations from the entity and to it. */
export function Relations({ entity, busy, onAdd, onRemove }: Properties) {
  const { entity: text, edit } = words.value;
  const ways = [
    { heading: text.outgoing, relations: entity.relations.filter(({ source }) => source.uuid === entity.uuid) },
    { heading: text.incoming, relations: entity.relations.filter(({ source }) => source.uuid !== entity.uuid) },
  ];
  return (
    <section class="card panel">
      <div class="row apart">
        <h2>{text.relations}</h2>
        <button type="button" class="button slim bare" onClick={onAdd}>
          + {edit.add}
        </button>
      </div>
      {entity.relations.length === 0 && <p class="quiet">{text.nothing}</p>}
      {ways.map(
        ({ heading, relations }) =>
          relations.length > 0 && (
            <div key={heading} class="stack tight">
              <h3>{heading}</h3>
              <ul class="lines">
                {relations.map((relation) => {
                  const other = relation.source.uuid === entity.uuid ? relation.target : relation.source;
                  return (
                    <li key={relation.uuid} class="relation">
                      <div class="row">
                        <span class="quiet">{relation.relation}</span>
                        <a href={link(["entity", other.uuid])}>{other.subject}</a>
                        <span class="row-end">
                          <Degree value={relation.strength} label={words.value.graph.strength} />
                          <button
                            type="button"
                            class="button slim bare"
                            aria-label={edit.removeNamed(`${relation.relation} ${other.subject}`)}
                            disabled={busy}
                            onClick={() => onRemove(relation.uuid)}
                          >
                            {edit.remove}
                          </button>
                        </span>
                      </div>
                      {relation.evidence.length > 0 && (
                        <details>
                          <summary>{words.value.runs.evidence(relation.evidence.length)}</summary>
                          <EvidenceList evidence={relation.evidence} />
                        </details>
                      )}
                    </li>
                  );
                })}
              </ul>
            </div>
          ),
      )}
    </section>
  );
}

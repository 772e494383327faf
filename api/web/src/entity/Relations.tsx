import { words } from "../language/language";
import { Cut } from "../pieces/Cut";
import { Degree } from "../pieces/Degree";
import { EvidenceList } from "../pieces/EvidenceList";
import { useSome } from "../pieces/useSome";
import { link } from "../place";
import type { Entity } from "./EntityView";

const ROWS = 50;
/** As many as the operation asks for. */
const MOST = 500;

type Relation = Entity["relations"][number];

interface Properties {
  entity: Entity;
  busy: boolean;
  onAdd: () => void;
  onRemove: (relationUuid: string) => void;
}

/** Relations from the entity and to it. */
export function Relations({ entity, busy, onAdd, onRemove }: Properties) {
  const { entity: text, edit } = words.value;
  const from = entity.relations.filter(({ source }) => source.uuid === entity.uuid);
  const to = entity.relations.filter(({ source }) => source.uuid !== entity.uuid);
  return (
    <section class="card panel">
      <div class="row apart">
        <h2>{text.relations}</h2>
        <button type="button" class="button slim bare" aria-label={edit.titles.relation} onClick={onAdd}>
          + {edit.add}
        </button>
      </div>
      {entity.relations.length === 0 && <p class="quiet">{text.nothing}</p>}
      {from.length > 0 && <OneWay heading={text.outgoing} relations={from} {...{ entity, busy, onRemove }} />}
      {to.length > 0 && <OneWay heading={text.incoming} relations={to} {...{ entity, busy, onRemove }} />}
      <Cut all={entity.relations} most={MOST} />
    </section>
  );
}

interface Way extends Omit<Properties, "onAdd"> {
  heading: string;
  relations: readonly Relation[];
}

function OneWay({ heading, relations, entity, busy, onRemove }: Way) {
  const { shown, more } = useSome(relations, ROWS);
  return (
    <div class="stack tight">
      <h3>{heading}</h3>
      <ul class="lines">
        {shown.map((relation) => (
          <Line
            key={relation.uuid}
            relation={relation}
            other={relation.source.uuid === entity.uuid ? relation.target : relation.source}
            busy={busy}
            onRemove={() => onRemove(relation.uuid)}
          />
        ))}
      </ul>
      {more}
    </div>
  );
}

interface LineProperties {
  relation: Relation;
  other: Relation["target"];
  busy: boolean;
  onRemove: () => void;
}

function Line({ relation, other, busy, onRemove }: LineProperties) {
  const { edit, graph, runs } = words.value;
  return (
    <li class="relation">
      <div class="row">
        <span class="quiet">{relation.relation}</span>
        <a href={link(["entity", other.uuid])}>{other.subject}</a>
        <span class="row-end">
          <Degree value={relation.strength} label={graph.strength} />
          <button
            type="button"
            class="button slim bare"
            aria-label={edit.removeNamed(`${relation.relation} ${other.subject}`)}
            disabled={busy}
            onClick={onRemove}
          >
            {edit.remove}
          </button>
        </span>
      </div>
      {relation.evidence.length > 0 && (
        <details>
          <summary>{runs.evidence(relation.evidence.length)}</summary>
          <EvidenceList evidence={relation.evidence} />
        </details>
      )}
    </li>
  );
}

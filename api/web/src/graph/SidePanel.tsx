import { useState } from "preact/hooks";
import { words } from "../language/language";
import { Degree } from "../pieces/Degree";
import { NamePicker } from "../pieces/NamePicker";
import { conversation, link } from "../place";
import { type Drawing, type Filter, relationNames } from "./drawing";

interface Properties {
  drawing: Drawing;
  version: number;
  selected: string | null;
  filter: Filter;
  busy: boolean;
  onFilter: (filter: Filter) => void;
  onStart: (uuid: string) => void;
  onExpand: (key: string) => void;
  onPutAway: (key: string) => void;
  onSelect: (key: string | null) => void;
  onWhole: () => void;
  onAllBack: () => void;
}

/** Where to start, what is selected, what is left out, how to read it. */
export function SidePanel(given: Properties) {
  const { graph: text } = words.value;
  const { drawing, selected, filter, onFilter } = given;
  return (
    <aside class="graph-side">
      <section>
        <h1 tabIndex={-1}>{text.title}</h1>
        <NamePicker label={text.startAt} onPick={({ uuid }) => given.onStart(uuid)} />
      </section>
      {selected && drawing.hasNode(selected) && <Selected {...given} selected={selected} />}
      <section>
        <h3>{text.filter}</h3>
        <label class="field">
          <span class="ends">
            <span>{text.weakest}</span>
            <span>{filter.weakest.toFixed(2)}</span>
          </span>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value={filter.weakest}
            onInput={(event) => onFilter({ ...filter, weakest: Number(event.currentTarget.value) })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={filter.withActive}
            onChange={(event) => onFilter({ ...filter, withActive: event.currentTarget.checked })}
          />
          {text.withActive(conversation.value)}
        </label>
      </section>
      <Relations {...given} />
      <section>
        <h3>{text.legend}</h3>
        <div class="scale">
          <div class="scale-line" />
          <div class="ends">
            <span>{text.doubtful}</span>
            <span>{text.sure}</span>
          </div>
        </div>
        <div class="sizes">
          <i />
          <i />
          <i />
          {text.sizes}
        </div>
        <div class="sizes">
          <i class="diamond" />
          {text.activeOnes}
        </div>
      </section>
      <section>
        <div class="row">
          <button type="button" class="button slim" disabled={given.busy} onClick={given.onWhole}>
            {text.whole}
          </button>
          <button type="button" class="button slim" onClick={given.onAllBack}>
            {text.allBack}
          </button>
        </div>
      </section>
    </aside>
  );
}

function Selected({ drawing, selected, busy, onExpand, onPutAway, onSelect }: Properties & { selected: string }) {
  const { graph: text, entity } = words.value;
  const facts = drawing.getNodeAttributes(selected);
  return (
    <section class="graph-selected" aria-label={text.selected}>
      <h2>{facts.kind === "entity" ? <a href={link(["entity", selected])}>{facts.label}</a> : facts.label}</h2>
      <div class="row fine">
        {facts.kind === "active" ? <span>{text.activeOnes}</span> : <span>{(facts.hasMore ? text.statementsOrMore : text.statements)(facts.statements)}</span>}
        {facts.confidence !== null && <Degree value={facts.confidence} label={entity.confidence} />}
      </div>
      <ul class="fine">
        {drawing
          .filterEdges(selected, (_key, { isHidden }) => !isHidden)
          .slice(0, 12)
          .map((key) => {
            const isOut = drawing.source(key) === selected;
            const other = drawing.opposite(selected, key);
            return (
              <li key={key}>
                {isOut ? "→" : "←"} {drawing.getEdgeAttribute(key, "label")}{" "}
                <button type="button" class="link" onClick={() => onSelect(other)}>
                  {drawing.getNodeAttribute(other, "label")}
                </button>
              </li>
            );
          })}
      </ul>
      <div class="row">
        {facts.kind === "entity" && (
          <button type="button" class="button slim main" disabled={busy} onClick={() => onExpand(selected)}>
            {text.expand}
          </button>
        )}
        <button type="button" class="button slim" onClick={() => onPutAway(selected)}>
          {text.hide}
        </button>
      </div>
    </section>
  );
}

function Relations({ drawing, filter, onFilter }: Properties) {
  const { graph: text } = words.value;
  const [part, setPart] = useState("");
  const names = relationNames(drawing);
  if (names.length === 0) return null;
  const toggle = (name: string): void => {
    const without = new Set(filter.without);
    if (!without.delete(name)) without.add(name);
    onFilter({ ...filter, without });
  };
  return (
    <section>
      <div class="row apart">
        <h3>{text.relations}</h3>
        <button
          type="button"
          class="link fine"
          onClick={() => onFilter({ ...filter, without: filter.without.size ? new Set() : new Set(names.map(([name]) => name)) })}
        >
          {filter.without.size ? text.all : text.none}
        </button>
      </div>
      {names.length > 12 && (
        <input
          class="input slim"
          aria-label={text.findRelation}
          placeholder={text.findRelation}
          value={part}
          onInput={(event) => setPart(event.currentTarget.value)}
        />
      )}
      <div class="relation-choices">
        {names
          .filter(([name]) => name.toLowerCase().includes(part.trim().toLowerCase()))
          .slice(0, 100)
          .map(([name, count]) => (
            <label class="check" key={name}>
              <input type="checkbox" checked={!filter.without.has(name)} onChange={() => toggle(name)} />
              <span>{name}</span>
              <span class="fine">{count}</span>
            </label>
          ))}
      </div>
    </section>
  );
}

import { useState } from "preact/hooks";
import { ask } from "../connection/request";
import { AddAlias, Merge, Rename, SetFeature, SetImpression, SetRelation, type RunAnswerFragment } from "../generated/operations";
import { words } from "../language/language";
import { Dialog } from "../pieces/Dialog";
import { NamePicker } from "../pieces/NamePicker";
import { space } from "../place";
import type { Entity, Statement } from "./EntityView";
import type { usePlan } from "./usePlan";

export type Edit =
  | { kind: "rename" | "alias" | "relation" | "merge" }
  | { kind: "impression" | "feature"; statement?: Statement };

interface Properties {
  entity: Entity;
  edit: Edit;
  plan: ReturnType<typeof usePlan>;
  onClose: () => void;
}

/** One edit: a few fields, then its diff. Nothing lands from here. */
export function EditDialog({ entity, edit, plan, onClose }: Properties) {
  const { edit: text } = words.value;
  const statement = "statement" in edit ? edit.statement : undefined;
  const isStatement = edit.kind === "impression" || edit.kind === "feature";
  const [value, setValue] = useState(edit.kind === "rename" ? entity.subject : (statement?.text ?? ""));
  const [degree, setDegree] = useState(statement?.confidence ?? (isStatement ? 0.8 : 1));
  const [other, setOther] = useState<string | null>(null);
  const [allowHomonym, setAllowHomonym] = useState(false);
  const [keep, setKeep] = useState(true);

  const question = async (): Promise<RunAnswerFragment> => {
    const where = { uuid: entity.uuid, space: space.value };
    const written = value.trim();
    switch (edit.kind) {
      case "rename":
        return (await ask(Rename, { ...where, subject: written, allowHomonym, keep })).renameEntity;
      case "alias":
        return (await ask(AddAlias, { ...where, alias: written, allowHomonym })).addAlias;
      case "merge":
        return (await ask(Merge, { into: entity.uuid, from: other ?? "", space: space.value })).mergeEntities;
      case "relation":
        return (await ask(SetRelation, { ...where, targetUuid: other ?? "", relation: written, strength: degree })).setRelation;
      case "impression":
      case "feature": {
        const isReplaced = statement !== undefined && statement.text !== written;
        const given = { ...where, text: statement?.text ?? written, newText: isReplaced ? written : null, confidence: degree };
        return edit.kind === "impression" ? (await ask(SetImpression, given)).setImpression : (await ask(SetFeature, given)).setFeature;
      }
    }
  };

  const needsOther = edit.kind === "merge" || edit.kind === "relation";
  const needsText = edit.kind !== "merge";
  const isReady = (!needsOther || other !== null) && (!needsText || value.trim() !== "");
  return (
    <Dialog title={text.titles[statement ? `${edit.kind}Change` : edit.kind] ?? edit.kind} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void plan.propose(question);
        }}
      >
        {needsText && (
          <label class="field">
            <span>{edit.kind === "relation" ? text.relation(entity.subject) : isStatement ? text.statement : text.name}</span>
            {isStatement ? (
              <textarea class="input" rows={3} required value={value} onInput={(event) => setValue(event.currentTarget.value)} />
            ) : (
              <input class="input" required value={value} onInput={(event) => setValue(event.currentTarget.value)} />
            )}
          </label>
        )}
        {needsOther && (
          <div class="field">
            <span>{edit.kind === "merge" ? text.mergeFrom(entity.subject) : text.target}</span>
            <NamePicker keep label={edit.kind === "merge" ? text.mergeFrom(entity.subject) : text.target} onPick={({ uuid }) => setOther(uuid)} />
          </div>
        )}
        {(isStatement || edit.kind === "relation") && (
          <label class="field">
            <span>
              {isStatement ? words.value.entity.confidence : words.value.graph.strength}: {degree.toFixed(2)}
            </span>
            <input type="range" min="0" max="1" step="0.05" value={degree} onInput={(event) => setDegree(Number(event.currentTarget.value))} />
          </label>
        )}
        {edit.kind === "rename" && (
          <label class="check">
            <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
            {text.keepOld}
          </label>
        )}
        {(edit.kind === "rename" || edit.kind === "alias") && (
          <label class="check">
            <input type="checkbox" checked={allowHomonym} onChange={(event) => setAllowHomonym(event.currentTarget.checked)} />
            {text.homonym}
          </label>
        )}
        {edit.kind === "merge" && <p class="fine">{text.mergeTold(entity.subject)}</p>}
        {plan.told}
        <div class="dialog-end">
          <button type="button" class="button" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" class="button main" disabled={plan.busy || !isReady}>
            {text.preview}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

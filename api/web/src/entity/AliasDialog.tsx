import { useState } from "preact/hooks";
import { ask } from "../connection/request";
import { RemoveAlias } from "../generated/operations";
import { words } from "../language/language";
import { Dialog } from "../pieces/Dialog";
import { space } from "../place";
import type { Entity } from "./EntityView";
import type { usePlan } from "./usePlan";

interface Properties {
  entity: Entity;
  alias: Entity["aliases"][number];
  plan: ReturnType<typeof usePlan>;
  onClose: () => void;
}

/** What is to become of a name: wrong ones go, outdated ones keep leading here. Its diff comes next. */
export function AliasDialog({ entity, alias, plan, onClose }: Properties) {
  const { edit: text } = words.value;
  const [deprecate, setDeprecate] = useState(false);
  const choices = [
    { value: false, name: text.aliasWrong, told: text.aliasWrongTold(entity.subject) },
    ...(alias.deprecated ? [] : [{ value: true, name: text.aliasOld, told: text.aliasOldTold(entity.subject) }]),
  ];
  return (
    <Dialog title={text.aliasTitle(alias.text)} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const which = { uuid: entity.uuid, space: space.value, alias: alias.text, deprecate };
          void plan.propose(async () => (await ask(RemoveAlias, which)).removeAlias);
        }}
      >
        <div class="stack tight" role="radiogroup" aria-label={text.aliasTitle(alias.text)}>
          {choices.map(({ value, name, told }) => (
            <label key={name} class="choice">
              <input type="radio" name="what" checked={deprecate === value} onChange={() => setDeprecate(value)} />
              <span>
                {name}
                <small>{told}</small>
              </span>
            </label>
          ))}
        </div>
        {plan.told}
        <div class="dialog-end">
          <button type="button" class="button" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" class="button main" disabled={plan.busy}>
            {text.preview}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

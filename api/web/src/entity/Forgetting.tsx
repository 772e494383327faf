import { useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { ask } from "../connection/request";
import { Forget, type RunAnswerFragment } from "../generated/operations";
import { heard } from "../language/heard";
import { words } from "../language/language";
import { Cut } from "../pieces/Cut";
import { Dialog } from "../pieces/Dialog";
import { Answered, Told } from "../pieces/Told";
import { go, space } from "../place";
import type { Entity } from "./EntityView";

/** Forgetting, the one write without a way back: shows what goes, and wants the name typed. */
export function Forgetting({ entity, onClose }: { entity: Entity; onClose: () => void }) {
  const { edit: text } = words.value;
  const [typed, setTyped] = useState("");
  const [answer, setAnswer] = useState<RunAnswerFragment | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const forget = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setAnswer((await ask(Forget, { uuid: entity.uuid, space: space.value })).forgetEntity);
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  if (answer?.__typename === "UpdateRun") {
    const leave = (): void => go(["entities"]);
    return (
      <Dialog title={text.forgotten(entity.subject)} onClose={leave}>
        {answer.notes.map((note) => (
          <p key={note} class="fine">
            {heard(note)}
          </p>
        ))}
        <div class="dialog-end">
          <button type="button" class="button main" onClick={leave}>
            {words.value.shell.close}
          </button>
        </div>
      </Dialog>
    );
  }
  const gone = [entity.subject, ...entity.aliases.map((alias) => alias.text)];
  return (
    <Dialog title={text.forgetTitle(entity.subject)} onClose={onClose}>
      <p class="notice bad">{text.forgetTold}</p>
      <ul class="changes">
        {[...gone, ...[...entity.impressions, ...entity.features].map((each) => each.text)].slice(0, 30).map((each) => (
          <li key={each} class="change single">
            <del>
              <span class="sign" aria-hidden="true">
                −
              </span>
              {each}
            </del>
          </li>
        ))}
        <li class="fine">{text.forgetCount(entity.impressions.length + entity.features.length, entity.relations.length)}</li>
      </ul>
      {[entity.impressions, entity.features].map((all, at) => (
        <Cut key={at} all={all} most={200} />
      ))}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === entity.subject) void forget();
        }}
      >
        <label class="field">
          <span>{text.typeName(entity.subject)}</span>
          <input class="input" autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
        {failure && <Told failure={failure} />}
        {answer && <Answered result={answer} />}
        <div class="dialog-end">
          <button type="button" class="button" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" class="button grave" disabled={busy || typed.trim() !== entity.subject}>
            {text.forgetForGood}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

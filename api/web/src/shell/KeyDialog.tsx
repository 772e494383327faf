import { useState } from "preact/hooks";
import { key, enterKey } from "../connection/key";
import { words } from "../language/language";
import { Dialog } from "../pieces/Dialog";

/** Asks for the API key; what was refused for want of it is asked again by itself. */
export function KeyDialog() {
  const text = words.value.key;
  const [entered, setEntered] = useState("");
  return (
    <Dialog title={text.title}>
      <p class="quiet">{text.told}</p>
      {key.value && (
        <p class="notice bad" role="alert">
          {text.wrong}
        </p>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (entered.trim()) enterKey(entered.trim());
        }}
      >
        <label class="field">
          <span>{text.label}</span>
          <input
            class="input"
            type="password"
            autocomplete="off"
            value={entered}
            onInput={(event) => setEntered(event.currentTarget.value)}
          />
        </label>
        <div class="dialog-end">
          <button type="submit" class="button main">
            {text.open}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

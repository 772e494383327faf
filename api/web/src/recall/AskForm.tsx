import type { RefObject } from "preact";
import { words } from "../language/language";
import { adjust, conversation, space } from "../place";

export type Mode = "recall" | "project";

interface Properties {
  input: string;
  mode: Mode;
  speaker: string;
  busy: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  onInput: (text: string) => void;
  onMode: (mode: Mode) => void;
  onSpeaker: (name: string) => void;
  onSend: () => void;
}

/** The text, and whether asking for it only reads or also writes: colour, words and button all say which. */
export function AskForm({ input, mode, speaker, busy, field, onInput, onMode, onSpeaker, onSend }: Properties) {
  const { recall: text } = words.value;
  const writes = mode === "project";
  return (
    <form
      class={`card asking${writes ? " writing" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <div class="row">
        <div class="modes" role="radiogroup" aria-label={text.modes}>
          <label>
            <input type="radio" name="mode" checked={!writes} onChange={() => onMode("recall")} />
            {text.recall}
            <small>{text.recallTold}</small>
          </label>
          <label class="writes">
            <input type="radio" name="mode" checked={writes} onChange={() => onMode("project")} />
            {text.project}
            <small>{text.projectTold}</small>
          </label>
        </div>
        {writes ? (
          <span class="tag writes">{text.writesInto(conversation.value, space.value)}</span>
        ) : (
          <span class="fine">{text.readsOnly}</span>
        )}
      </div>
      <textarea
        ref={field}
        class="input"
        rows={2}
        aria-label={text.text}
        placeholder={text.placeholder}
        value={input}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter asks, as in a chat; while an input method composes it only chooses a character.
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSend();
        }}
      />
      <div class="asking-more">
        <label class="field">
          <span>{text.conversation}</span>
          <input
            class="input slim"
            value={conversation.value}
            spellcheck={false}
            onChange={(event) => adjust({ conversation: event.currentTarget.value.trim() || "default" })}
          />
        </label>
        {writes && (
          <label class="field">
            <span>{text.speaker}</span>
            <input class="input slim" value={speaker} onInput={(event) => onSpeaker(event.currentTarget.value)} />
          </label>
        )}
        <div class="asking-end">
          <button type="submit" class={`button ${writes ? "writes" : "main"}`} disabled={busy || !input.trim()}>
            {busy ? text.busy : writes ? text.goProject : text.goRecall}
          </button>
        </div>
      </div>
    </form>
  );
}

import "../look/page.css";
import { createElement, render } from "preact";
import { effect } from "@preact/signals";
import { key } from "../connection/key";
import { KeyDialog } from "../shell/KeyDialog";

/** Asks for the key, and loads the document anew once there is another. */
export function askForKey(): void {
  const before = key.value;
  render(createElement(KeyDialog, null), document.body);
  effect(() => {
    if (key.value !== before) location.reload();
  });
}

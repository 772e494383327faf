import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { number, words } from "../language/language";

interface Some<Item> {
  shown: readonly Item[];
  /** A button that shows the next ones, with how many there are; nothing where all are shown. */
  more: ComponentChildren;
}

/** The first of many: thousands of rows at once would make the page slow, and nobody reads them in one go. */
export function useSome<Item>(all: readonly Item[], step: number): Some<Item> {
  const [count, setCount] = useState(step);
  if (all.length <= count) return { shown: all, more: null };
  return {
    shown: all.slice(0, count),
    more: (
      <div class="row more">
        <button type="button" class="button slim" onClick={() => setCount(count + step)}>
          {words.value.shell.more}
        </button>
        <span class="fine" role="status">
          {words.value.shell.shownOf(number(count), number(all.length))}
        </span>
      </div>
    ),
  };
}

import { options } from "preact";

// What is not seen but does something: controls of terminals (C0 without tab and line ends, C1) and the bidirectional
// controls, with which a name reads as another one. The same as in graph/controls.py.
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text with its controls written out: `\u202e`. */
export function writtenOut(text: string): string {
  return text.replace(UNSEEN, (found) => {
    const point = found.charCodeAt(0);
    return point < 0x100 ? `\\x${point.toString(16).padStart(2, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
  });
}

const SHOWN = ["title", "aria-label", "placeholder", "alt", "label"];

/** Writes out the controls of every text that any part of the page shows; what is typed and sent stays as it is. */
export function writeOutAll(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    const made = vnode as { type: unknown; props: string | Record<string, unknown> };
    // Every text between elements becomes a node of its own, whose properties are the text itself.
    if (typeof made.props === "string") made.props = writtenOut(made.props);
    else if (typeof made.type === "string") {
      for (const name of SHOWN) {
        const given = made.props[name];
        if (typeof given === "string") made.props[name] = writtenOut(given);
      }
    }
    before?.(vnode);
  };
}

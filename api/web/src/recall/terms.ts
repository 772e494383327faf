import type { MatchPartsFragment } from "../generated/operations";

export type Match = MatchPartsFragment;
export type Signal = Match["signals"][number];

export interface Piece {
  text: string;
  /** The channel whose words these are, null between them. */
  channel: string | null;
}

const IDEOGRAPH = /\p{Script=Han}/u;

/** Cuts a text at the words that a signal matched. Terms may be word stems: the whole word is marked then. */
export function pieces(text: string, terms: ReadonlyMap<string, string>): Piece[] {
  const channels: (string | null)[] = new Array(text.length).fill(null);
  for (const [term, channel] of terms) {
    for (const [start, end] of places(text, term)) {
      for (let at = start; at < end; at += 1) channels[at] ??= channel;
    }
  }
  const found: Piece[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const channel = channels[at] ?? null;
    const last = found.at(-1);
    if (last && last.channel === channel) last.text += text[at];
    else found.push({ text: text[at] ?? "", channel });
  }
  return found;
}

function* places(text: string, term: string): Generator<[number, number]> {
  if (!term) return;
  const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // A word matches from its beginning to its end, a run of ideographs anywhere.
  const pattern = IDEOGRAPH.test(term) ? escaped : `(?<![\\p{L}\\p{N}])${escaped}[\\p{L}\\p{N}]*`;
  for (const hit of text.matchAll(new RegExp(pattern, "giu"))) yield [hit.index, hit.index + hit[0].length];
}

/** The words of the input that these matches go by; the surer channel first, where several claim a word. */
export function matchedTerms(matches: readonly Match[]): Map<string, string> {
  const terms = new Map<string, string>();
  const signals = matches.flatMap(({ signals }) => signals);
  for (const channel of ["NAME", "PHRASE", "TEXT"]) {
    for (const signal of signals) {
      if (signal.channel !== channel) continue;
      const words = channel === "PHRASE" ? (signal.path ?? []).map(({ relation }) => relation) : (signal.textHit?.matchedTerms ?? []);
      for (const word of words) if (!terms.has(word.toLowerCase())) terms.set(word.toLowerCase(), channel);
    }
  }
  return terms;
}

/** The terms of one signal, for the stored text it hit. */
export function ownTerms(signal: Signal): Map<string, string> {
  return new Map((signal.textHit?.matchedTerms ?? []).map((term) => [term, signal.channel]));
}

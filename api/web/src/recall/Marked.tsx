import { pieces } from "./terms";

/** A text with its matched words marked; always text, never markup. */
export function Marked({ text, terms }: { text: string; terms: ReadonlyMap<string, string> }) {
  return (
    <>
      {pieces(text, terms).map((piece, place) =>
        piece.channel ? (
          <mark key={place} class={`channel-${piece.channel}`}>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

import type { EvidencePartsFragment } from "../generated/operations";
import { when, words } from "../language/language";

/** The texts behind something, as they were said. */
export function EvidenceList({ evidence }: { evidence: readonly EvidencePartsFragment[] }) {
  const { entity: text } = words.value;
  return (
    <ul class="evidence">
      {evidence.map(({ uuid, content, source, speaker, firstAt, lastAt }) => (
        <li key={uuid}>
          <blockquote>{content}</blockquote>
          <p class="fine">
            {[speaker, text.sources[source], when(firstAt), firstAt === lastAt ? null : text.until(when(lastAt))].filter(Boolean).join(" · ")}
          </p>
        </li>
      ))}
    </ul>
  );
}

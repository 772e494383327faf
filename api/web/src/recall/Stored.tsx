import type { ProjectMutation } from "../generated/operations";
import { heard } from "../language/heard";
import { words } from "../language/language";
import { link } from "../place";

/** What a projection wrote. */
export function Stored({ projection }: { projection: Extract<ProjectMutation["projectEntity"], { __typename: "Projection" }> }) {
  const { recall: text } = words.value;
  if (projection.activeEntities.length === 0) {
    return (
      <div class="notice" role="status">
        <strong>{text.writtenNothing}</strong>
        <span>{heard(projection.reason)}</span>
      </div>
    );
  }
  return (
    <div class="notice writes" role="status">
      <strong>{text.written}</strong>
      <span>
        {text.writtenTold(projection.activeEntities.length)}{" "}
        {projection.activeEntities.map(({ runtimeId, subject, boundEntity }, place) => (
          <span key={runtimeId}>
            {place > 0 && " · "}
            {boundEntity ? <a href={link(["entity", boundEntity.uuid])}>{boundEntity.subject}</a> : (subject ?? runtimeId)}
          </span>
        ))}
      </span>
      {projection.created && <span>{text.opened}</span>}
    </div>
  );
}

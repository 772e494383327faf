import { words } from "../language/language";
import { Degree } from "../pieces/Degree";
import { link } from "../place";
import type { Drawing } from "./drawing";

/** All that is drawn and in sight: its relations, then what has none. */
export function RelationTable({ drawing, onExpand }: { drawing: Drawing; onExpand: (key: string) => void }) {
  const { graph: text, entity } = words.value;
  const edges = drawing
    .filterEdges((_key, { isHidden }) => !isHidden)
    .sort((one, other) => drawing.getEdgeAttribute(other, "strength") - drawing.getEdgeAttribute(one, "strength"));
  const alone = drawing.filterNodes(
    (key, { isHidden }) => !isHidden && !drawing.someEdge(key, (_edge, { isHidden: edgeHidden }) => !edgeHidden),
  );
  const name = (key: string) => {
    const { kind, label, isExpanded } = drawing.getNodeAttributes(key);
    return (
      <span class="row">
        {kind === "entity" ? <a href={link(["entity", key])}>{label}</a> : label}
        {kind === "entity" && !isExpanded && (
          <button type="button" class="button bare slim" aria-label={text.expandNamed(label)} onClick={() => onExpand(key)}>
            +
          </button>
        )}
      </span>
    );
  };
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{text.source}</th>
          <th scope="col">{text.relation}</th>
          <th scope="col">{text.target}</th>
          <th scope="col">{text.strength}</th>
          <th scope="col">{entity.support}</th>
        </tr>
      </thead>
      <tbody>
        {edges.map((key) => {
          const { label, strength, support } = drawing.getEdgeAttributes(key);
          return (
            <tr key={key}>
              <td>{name(drawing.source(key))}</td>
              <td>{label}</td>
              <td>{name(drawing.target(key))}</td>
              <td>
                <Degree value={strength} label={text.strength} />
              </td>
              <td>{support}</td>
            </tr>
          );
        })}
        {alone.map((key) => (
          <tr key={key}>
            <td>{name(key)}</td>
            <td colSpan={4} class="quiet">
              {text.noRelations}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

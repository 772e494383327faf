import { useMemo } from "preact/hooks";
import { words } from "../language/language";
import { Degree } from "../pieces/Degree";
import { useSome } from "../pieces/useSome";
import { link } from "../place";
import type { Drawing } from "./drawing";

/** Rows shown at once. */
const ROWS = 200;

interface Properties {
  drawing: Drawing;
  version: number;
  onExpand: (key: string) => void;
}

/** All that is drawn and in sight: its relations, the strongest first, then what has none. */
export function RelationTable({ drawing, version, onExpand }: Properties) {
  const { graph: text, entity, shell } = words.value;
  const rows = useMemo(() => rowsOf(drawing), [drawing, version]);
  const { shown, more } = useSome(rows, ROWS);
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
  const line = ({ edge, node }: Row) => {
    if (edge === null) {
      return (
        <tr key={node}>
          <td>{name(node)}</td>
          <td colSpan={4} class="quiet">
            {text.noRelations}
          </td>
        </tr>
      );
    }
    const { label, strength, support } = drawing.getEdgeAttributes(edge);
    return (
      <tr key={edge}>
        <td>{name(node)}</td>
        <td>{label}</td>
        <td>{name(drawing.target(edge))}</td>
        <td>
          <Degree value={strength} label={text.strength} />
        </td>
        <td>{support}</td>
      </tr>
    );
  };
  return (
    <>
      <table>
        <thead>
          <tr>
            {[text.source, text.relation, text.target, text.strength, entity.support].map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{shown.filter(({ edge, node }) => (edge ? drawing.hasEdge(edge) : drawing.hasNode(node))).map(line)}</tbody>
      </table>
      {more}
      {rows.length === 0 && <p class="empty">{shell.nothing}</p>}
    </>
  );
}

interface Row {
  edge: string | null;
  /** Where the relation starts, or what has none. */
  node: string;
}

function rowsOf(drawing: Drawing): Row[] {
  const joined = new Set<string>();
  const edges = drawing
    .mapEdges((edge, { isHidden, strength }, source, target) => ({ edge, node: source, target, strength, isHidden }))
    .filter(({ isHidden }) => !isHidden)
    .sort((one, other) => other.strength - one.strength);
  for (const { node, target } of edges) joined.add(node).add(target);
  const alone = drawing.filterNodes((key, { isHidden }) => !isHidden && !joined.has(key));
  return [...edges.map(({ edge, node }) => ({ edge, node })), ...alone.map((node) => ({ edge: null, node }))];
}

import type { Drawing } from "./drawing";

/** What is in sight, as a JSON document. */
export function exported(drawing: Drawing, space: string): string {
  const entities = drawing.filterNodes((_key, { isHidden }) => !isHidden).map((key) => {
    const { kind, label, confidence, support } = drawing.getNodeAttributes(key);
    return { id: key, kind, subject: label, confidence, support };
  });
  const relations = drawing.filterEdges((_key, { isHidden }) => !isHidden).map((key) => {
    const { kind, label, strength, support } = drawing.getEdgeAttributes(key);
    return { id: key, kind, source: drawing.source(key), relation: label, target: drawing.target(key), strength, support };
  });
  return `${JSON.stringify({ space, entities, relations }, null, 2)}\n`;
}

export function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

import { MultiDirectedGraph } from "graphology";
import type { ActiveQuery, NodePartsFragment, RelationPartsFragment } from "../generated/operations";
import { writtenOut } from "../language/writtenOut";

export interface NodeFacts {
  kind: "entity" | "active";
  label: string;
  /** Mean confidence of its statements; null without any. */
  confidence: number | null;
  /** Pieces of evidence behind its statements, all told. */
  support: number;
  statements: number;
  /** Whether it has more statements than were asked for: the three figures are those of the best supported. */
  hasMore: boolean;
  isExpanded: boolean;
  isPutAway: boolean;
  x: number;
  y: number;
  size: number;
  color: string;
  isHidden: boolean;
  isFaded: boolean;
  /** Named even in a crowd. */
  isHub: boolean;
}

export interface EdgeFacts {
  kind: "relation" | "binding";
  label: string;
  strength: number;
  support: number;
  size: number;
  isHidden: boolean;
  isFaded: boolean;
  isLabelled: boolean;
}

/** As many of each kind as the operations ask for. */
const MOST_STATEMENTS = 12;

/** With more relations than this in sight only those of the selected node are labelled. */
const MOST_LABELS = 60;

/** Sigma skips hidden edges when it indexes; only a change of this field makes it look again. */
const INDEX_AGAIN = { attributes: ["zIndex" as never] };

export type Drawing = MultiDirectedGraph<NodeFacts, EdgeFacts>;

export function emptyDrawing(): Drawing {
  return new MultiDirectedGraph<NodeFacts, EdgeFacts>();
}

/** Adds entities; those that are there already stay where they are. */
export function addEntities(drawing: Drawing, entities: readonly NodePartsFragment[], near?: string): void {
  for (const { uuid, subject, impressions, features } of entities) {
    const statements = [...impressions, ...features];
    const sum = statements.reduce((total, { confidence }) => total + confidence, 0);
    const support = statements.reduce((total, each) => total + each.support, 0);
    addNode(drawing, uuid, near, {
      kind: "entity",
      label: writtenOut(subject),
      confidence: statements.length ? sum / statements.length : null,
      support,
      statements: statements.length,
      hasMore: Math.max(impressions.length, features.length) >= MOST_STATEMENTS,
    });
  }
}

/** Adds relations whose two ends are there; returns how many had to be left out. */
export function addRelations(drawing: Drawing, relations: readonly RelationPartsFragment[]): number {
  let left = 0;
  for (const { uuid, relation, strength, support, source, target } of relations) {
    if (drawing.hasEdge(uuid)) continue;
    if (!drawing.hasNode(source.uuid) || !drawing.hasNode(target.uuid)) {
      left += 1;
      continue;
    }
    drawing.addEdgeWithKey(uuid, source.uuid, target.uuid, {
      kind: "relation",
      label: writtenOut(relation),
      strength,
      support,
      size: 1 + 2 * strength,
      isHidden: false,
      isFaded: false,
      isLabelled: false,
    });
  }
  return left;
}

/** Adds what a conversation is about, each bound to its entity where that is drawn too. */
export function addActive(drawing: Drawing, active: ActiveQuery["activeEntities"], bound: string): void {
  for (const { runtimeId, subject, mentions, boundEntity, evidence } of active) {
    addNode(drawing, runtimeId, boundEntity?.uuid, {
      kind: "active",
      label: writtenOut(subject ?? mentions[0] ?? boundEntity?.subject ?? runtimeId),
      confidence: evidence.length ? Math.max(...evidence.map(({ associationConfidence }) => associationConfidence)) : null,
      support: evidence.length,
      statements: 0,
      hasMore: false,
    });
    const key = `binding ${runtimeId}`;
    if (boundEntity && drawing.hasNode(boundEntity.uuid) && !drawing.hasEdge(key)) {
      drawing.addEdgeWithKey(key, runtimeId, boundEntity.uuid, {
        kind: "binding",
        label: bound,
        strength: 1,
        support: 0,
        size: 1.5,
        isHidden: false,
        isFaded: false,
        isLabelled: false,
      });
    }
  }
}

type Given = Pick<NodeFacts, "kind" | "label" | "confidence" | "support" | "statements" | "hasMore">;

function addNode(drawing: Drawing, key: string, near: string | undefined, given: Given): void {
  if (drawing.hasNode(key)) {
    drawing.mergeNodeAttributes(key, given);
    return;
  }
  // A new node appears beside the one it was reached from: the layout then has little to move.
  const centre = near && drawing.hasNode(near) ? drawing.getNodeAttributes(near) : { x: 0, y: 0 };
  const angle = drawing.order * 2.399963; // the golden angle: no two on one spot, and the same picture every time
  const distance = near ? 8 : 10 * Math.sqrt(drawing.order + 1);
  drawing.addNode(key, {
    ...given,
    x: centre.x + distance * Math.cos(angle),
    y: centre.y + distance * Math.sin(angle),
    size: Math.min(24, 6 + 1.9 * Math.sqrt(given.support || given.statements / 2)),
    color: "",
    isExpanded: false,
    isPutAway: false,
    isHidden: false,
    isFaded: false,
    isHub: false,
  });
}

export interface Filter {
  /** Names of relations that are left out. */
  without: ReadonlySet<string>;
  weakest: number;
  withActive: boolean;
}

/** Applies the filter and what was put away by hand; fades what is not beside the selected node. */
export function show(drawing: Drawing, filter: Filter, selected: string | null): void {
  const beside = selected && drawing.hasNode(selected) ? new Set([selected, ...drawing.neighbors(selected)]) : null;
  drawing.updateEachNodeAttributes((key, facts) => ({
    ...facts,
    isHidden: facts.isPutAway || (facts.kind === "active" && !filter.withActive),
    isFaded: beside !== null && !beside.has(key),
  }));
  const isHidden = (facts: EdgeFacts): boolean =>
    facts.kind === "relation" && (filter.without.has(facts.label) || facts.strength < filter.weakest);
  const labelAll = drawing.filterEdges((_key, facts) => !isHidden(facts)).length <= MOST_LABELS;
  drawing.updateEachEdgeAttributes((_key, facts, source, target, sourceFacts, targetFacts) => {
    const touches = source === selected || target === selected;
    return {
      ...facts,
      isHidden: sourceFacts.isHidden || targetFacts.isHidden || isHidden(facts),
      isFaded: beside !== null && !touches,
      isLabelled: labelAll || touches,
    };
  }, INDEX_AGAIN);
}

/** The relations that are drawn, by name, the most frequent first. */
export function relationNames(drawing: Drawing): [string, number][] {
  const counts = new Map<string, number>();
  drawing.forEachEdge((_key, { kind, label }) => {
    if (kind === "relation") counts.set(label, (counts.get(label) ?? 0) + 1);
  });
  return [...counts].sort(([one, first], [other, second]) => second - first || one.localeCompare(other));
}

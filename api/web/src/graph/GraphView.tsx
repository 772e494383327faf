import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { key } from "../connection/key";
import { returns } from "../connection/presence";
import { ask } from "../connection/request";
import { Active, Around, Stats, Whole } from "../generated/operations";
import { words } from "../language/language";
import { Told } from "../pieces/Told";
import { adjust, conversation, parameters, space } from "../place";
import { isDark } from "../shell/theme";
import { type Filter, addActive, addEntities, addRelations, emptyDrawing, show } from "./drawing";
import { layOut } from "./layout";
import { SidePanel } from "./SidePanel";
import { Stage } from "./Stage";

/** A memory this small is shown whole at once; larger ones start where the reader wants. */
const SHOWN_AT_ONCE = 400;
const MOST_NODES = 2000;
const PAGE = 50;
/** No more are asked of one entity; what is left out between two such hubs is not seen. */
const MOST_RELATIONS = 100;

export function GraphView() {
  const { graph: text } = words.value;
  const drawing = useMemo(emptyDrawing, [space.value]);
  const [version, setVersion] = useState(0);
  const [selected, setSelected] = useState<string | null>(null);
  const [filter, setFilter] = useState<Filter>({ without: new Set(), weakest: 0, withActive: false });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const [total, setTotal] = useState<number | null>(null);
  const [isCut, setIsCut] = useState(false);
  const current = useRef(drawing);
  current.current = drawing;

  /** Runs what asks the service, then finds places for what came. */
  const change = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await work();
      show(drawing, filter, selected);
      setVersion((before) => before + 1);
      const places = await layOut(drawing);
      if (current.current !== drawing) return;
      drawing.updateEachNodeAttributes((key, facts) => ({ ...facts, ...places.get(key) }));
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  const expand = (...uuids: string[]): Promise<void> =>
    change(async () => {
      for (const uuid of uuids) {
        const { neighbourhood } = await ask(Around, { uuid, space: space.value, depth: 1, limit: 500 });
        addEntities(drawing, neighbourhood.entities, uuid);
        addRelations(drawing, neighbourhood.relations);
        if (drawing.hasNode(uuid)) drawing.mergeNodeAttributes(uuid, { isExpanded: true, isPutAway: false });
        if (neighbourhood.truncated) setIsCut(true);
      }
    });

  const whole = (): Promise<void> =>
    change(async () => {
      let after: string | null = null;
      let isHubCut = false;
      const later = [];
      do {
        const { entities }: Awaited<ReturnType<typeof page>> = await page(after);
        addEntities(drawing, entities.edges.map(({ node }) => node));
        isHubCut ||= entities.edges.some(({ node }) => node.relations.length >= MOST_RELATIONS);
        later.push(...entities.edges.flatMap(({ node }) => node.relations));
        setVersion((before) => before + 1); // so that the counts grow meanwhile
        after = entities.pageInfo.hasNextPage ? entities.pageInfo.endCursor : null;
      } while (after && drawing.order < MOST_NODES);
      addRelations(drawing, later);
      drawing.updateEachNodeAttributes((_key, facts) => ({ ...facts, isExpanded: true }));
      setIsCut(after !== null || isHubCut);
    });

  const bindings = (): Promise<void> =>
    change(async () => {
      const { activeEntities } = await ask(Active, { space: space.value, conversation: conversation.value });
      const bound = activeEntities.flatMap(({ boundEntity }) => boundEntity ?? []).filter(({ uuid }) => !drawing.hasNode(uuid));
      for (const { uuid } of bound) {
        const { neighbourhood } = await ask(Around, { uuid, space: space.value, depth: 1, limit: 1 });
        addEntities(drawing, neighbourhood.entities.filter((each) => each.uuid === uuid));
      }
      addActive(drawing, activeEntities, text.binding);
    });

  const begin = (): void => {
    setSelected(null);
    setIsCut(false);
    const from = parameters.value.get("from")?.split(",").filter(Boolean) ?? [];
    if (from.length > 0) {
      void expand(...from);
      if (from.length === 1 && from[0]) setSelected(from[0]);
      return;
    }
    void (async () => {
      try {
        const { stats } = await ask(Stats, { space: space.value });
        setTotal(stats.entities);
        if (stats.entities > 0 && stats.entities <= SHOWN_AT_ONCE) await whole();
      } catch (error) {
        if (!isFailure(error)) throw error;
        setFailure(error);
      }
    })();
  };
  useEffect(begin, [space.value, key.value, returns.value]);

  useEffect(() => {
    show(drawing, filter, selected);
    setVersion((before) => before + 1);
  }, [filter, selected, drawing]);

  useEffect(() => {
    if (filter.withActive) void bindings();
  }, [filter.withActive, conversation.value]);

  const putAway = (key: string): void => {
    drawing.mergeNodeAttributes(key, { isPutAway: true });
    setSelected(null);
    show(drawing, filter, null);
    setVersion((before) => before + 1);
  };

  const startAt = (uuid: string): void => {
    setSelected(uuid);
    adjust({ from: uuid });
    void expand(uuid);
  };

  return (
    <div class="graph">
      <SidePanel
        {...{ drawing, version, selected, filter, busy }}
        onFilter={setFilter}
        onStart={startAt}
        onExpand={(key) => void expand(key)}
        onPutAway={putAway}
        onSelect={setSelected}
        onWhole={() => void whole()}
        onAllBack={() => {
          drawing.updateEachNodeAttributes((_key, facts) => ({ ...facts, isPutAway: false }));
          setFilter({ ...filter, without: new Set(), weakest: 0 });
        }}
      />
      <Stage
        key={`${isDark.value} ${space.value}`}
        {...{ drawing, version, busy, isCut, total }}
        onSelect={setSelected}
        onExpand={(key) => void (drawing.getNodeAttribute(key, "kind") === "entity" && expand(key))}
        onWhole={() => void whole()}
        told={failure && <Told failure={failure} again={begin} />}
      />
    </div>
  );
}

function page(after: string | null) {
  return ask(Whole, { space: space.value, first: PAGE, after });
}

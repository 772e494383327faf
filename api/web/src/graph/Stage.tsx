import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { number, words } from "../language/language";
import { link, space } from "../place";
import { type Canvas, paint } from "./canvas";
import type { Drawing } from "./drawing";
import { exported, save } from "./exported";
import { RelationTable } from "./RelationTable";

interface Properties {
  drawing: Drawing;
  version: number;
  busy: boolean;
  isCut: boolean;
  /** Entities of the space, where that was asked. */
  total: number | null;
  told: ComponentChildren;
  onSelect: (key: string | null) => void;
  onExpand: (key: string) => void;
  onWhole: () => void;
}

const STEP = 0.08;

/** The drawing itself: as a canvas, or the same as a table. */
export function Stage({ drawing, version, busy, isCut, total, told, onSelect, onExpand, onWhole }: Properties) {
  const { graph: text } = words.value;
  const [isTable, setIsTable] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas | null>(null);
  const hands = useRef({ onSelect, onExpand });
  hands.current = { onSelect, onExpand };

  // Labels and thresholds depend on how much there is, so a new order of magnitude paints anew.
  const magnitude = drawing.order > 300 || drawing.size > 600 ? "large" : "small";
  useEffect(() => {
    if (isTable || !container.current) return undefined;
    canvas.current = paint(drawing, container.current, {
      select: (key) => hands.current.onSelect(key),
      expand: (key) => hands.current.onExpand(key),
    });
    return () => canvas.current?.kill();
  }, [drawing, isTable, magnitude, drawing.order]);

  const press = (event: KeyboardEvent): void => {
    const camera = canvas.current?.getCamera();
    if (!camera) return;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-STEP, 0],
      ArrowRight: [STEP, 0],
      ArrowUp: [0, STEP],
      ArrowDown: [0, -STEP],
    };
    const move = moves[event.key];
    if (move) camera.setState({ x: camera.x + move[0] * camera.ratio, y: camera.y + move[1] * camera.ratio });
    else if (event.key === "+" || event.key === "=") void camera.zoomIn();
    else if (event.key === "-") void camera.zoomOut();
    else if (event.key === "0") void camera.reset();
    else if (event.key === "Escape") onSelect(null);
    else return;
    event.preventDefault();
  };

  const nodes = drawing.filterNodes((_key, { isHidden }) => !isHidden).length;
  const edges = drawing.filterEdges((_key, { isHidden }) => !isHidden).length;
  return (
    <section class="graph-stage" aria-label={text.title} data-version={version} data-busy={busy}>
      <div class="graph-bar">
        <div class="row">
          <span class="tag" role="status">
            {[busy && words.value.shell.loading, (!busy || nodes > 0) && text.counts(nodes, edges)].filter(Boolean).join(" ")}
          </span>
          {isCut && <span class="tag writes">{text.cut(number(drawing.order))}</span>}
        </div>
        <div class="row">
          {!isTable && (
            <>
              <button type="button" class="button slim" aria-label={text.zoomIn} onClick={() => void canvas.current?.getCamera().zoomIn()}>
                +
              </button>
              <button type="button" class="button slim" aria-label={text.zoomOut} onClick={() => void canvas.current?.getCamera().zoomOut()}>
                −
              </button>
              <button type="button" class="button slim" onClick={() => void canvas.current?.getCamera().reset()}>
                {text.fit}
              </button>
            </>
          )}
          <button type="button" class="button slim" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? text.asGraph : text.asTable}
          </button>
          <button
            type="button"
            class="button slim"
            disabled={drawing.order === 0}
            onClick={() => save(`impressions-${space.value}.json`, exported(drawing, space.value))}
          >
            {text.export}
          </button>
        </div>
      </div>
      {told && <div class="graph-start">{told}</div>}
      {drawing.order === 0 && !busy && !told && (
        <div class="graph-start card empty">
          <h2>{total === 0 ? words.value.welcome.title : text.start}</h2>
          <p>{total === 0 ? words.value.welcome.told(space.value) : text.startTold}</p>
          {total === 0 && (
            <a class="button main" href={link(["recall"])}>
              {words.value.welcome.begin}
            </a>
          )}
          {total !== null && total > 0 && (
            <button type="button" class="button" onClick={onWhole}>
              {text.whole}
            </button>
          )}
        </div>
      )}
      {isTable ? (
        <div key="table" class="graph-table" tabIndex={0} role="region" aria-label={text.asTable}>
          <RelationTable drawing={drawing} version={version} onExpand={onExpand} />
        </div>
      ) : (
        // An element of its own: sigma empties the one it was given when it ends.
        <div key="canvas" class="graph-canvas" ref={container} tabIndex={0} role="application" aria-label={text.canvas} onKeyDown={press} />
      )}
    </section>
  );
}

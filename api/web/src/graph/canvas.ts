import Sigma from "sigma";
import { extremityArrow, layerFill, layerPlain, pathCurved, pathLine, pathLoop, sdfCircle, sdfDiamond } from "sigma/rendering";
import { colour } from "../shell/theme";
import type { Drawing, EdgeFacts, NodeFacts } from "./drawing";

export interface Hands {
  select: (node: string | null) => void;
  expand: (node: string) => void;
}

/** In a crowd only nodes that are drawn large are named; the ones that most relations lead to are, too. */
const HUBS = 12;

export type Canvas = ReturnType<typeof paint>;

/** The scale of confidence, from doubtful to sure, in the colours of the theme. */
export function confidenceColour(confidence: number | null, scale: readonly [Rgb, Rgb, Rgb]): string {
  if (confidence === null) return css(scale[0]);
  const place = Math.min(1, Math.max(0, (confidence - 0.3) / 0.7)) * 2;
  const [from, to] = place < 1 ? [scale[0], scale[1]] : [scale[1], scale[2]];
  const part = place < 1 ? place : place - 1;
  return css(from.map((value, channel) => Math.round(value + ((to[channel] ?? 0) - value) * part)) as unknown as Rgb);
}

type Rgb = readonly [number, number, number];

const css = ([red, green, blue]: Rgb): string => `rgb(${red}, ${green}, ${blue})`;

export function scale(): [Rgb, Rgb, Rgb] {
  return ["--doubtful", "--likely", "--sure"].map((name) => {
    const [red = 0, green = 0, blue = 0] = colour(name).match(/\d+(\.\d+)?/g)?.map(Number) ?? [];
    return [red, green, blue] as const;
  }) as [Rgb, Rgb, Rgb];
}

/** Draws on a canvas. Colours are taken once: another theme paints anew. */
export function paint(drawing: Drawing, container: HTMLElement, hands: Hands): Sigma<NodeFacts, EdgeFacts> {
  const ink = colour("--ink");
  const quiet = colour("--ink-2");
  const ground = colour("--ground");
  const edge = colour("--edge");
  const font = getComputedStyle(document.body).fontFamily;
  const active = colour("--recency");
  const degrees = scale();
  // Many nodes are drawn smaller and their edges lighter: a crowd keeps its shape instead of covering itself.
  const share = Math.sqrt(120 / Math.max(1, drawing.order));
  const isCrowd = share < 0.5;
  // On a phone all of it is in half the width.
  const room = Math.min(1, share, Math.max(0.55, container.clientWidth / 700));
  const hubs = new Set(isCrowd ? drawing.nodes().sort((one, other) => drawing.degree(other) - drawing.degree(one)).slice(0, HUBS) : []);
  drawing.updateEachNodeAttributes((key, facts) => ({
    ...facts,
    isHub: hubs.has(key),
    color: facts.kind === "active" ? active : confidenceColour(facts.confidence, degrees),
  }));
  const sigma = new Sigma<NodeFacts, EdgeFacts>(drawing, container, {
    primitives: {
      nodes: { shapes: [sdfCircle(), sdfDiamond()], layers: [layerFill()], label: { margin: 5 } },
      edges: {
        paths: [pathLine(), pathCurved(), pathLoop()],
        extremities: [extremityArrow({ lengthRatio: 4, widthRatio: 3 })],
        layers: [layerPlain()],
        defaultHead: "arrow",
        label: { margin: 3, textBorder: { width: 4, color: ground } },
      },
      depthLayers: ["edges", "topEdges", "nodes", "topNodes"],
    },
    styles: {
      nodes: [
        {
          x: { attribute: "x" },
          y: { attribute: "y" },
          size: ({ size }) => Math.max(2.5, size * room),
          color: { attribute: "color" },
          shape: ({ kind }) => (kind === "active" ? "diamond" : "circle"),
          label: { attribute: "label" },
          labelColor: ({ isFaded }) => (isFaded ? quiet : ink),
          labelSize: 13,
          labelFont: font,
          labelVisibility: ({ isHub, isFaded }) => (isHub && !isFaded ? "visible" : "auto"),
          opacity: ({ isFaded }) => (isFaded ? 0.25 : 1),
          visibility: ({ isHidden }) => (isHidden ? "hidden" : "visible"),
          cursor: "pointer",
          backdropColor: ground,
          backdropShadowColor: "rgba(0, 0, 0, 0.25)",
        },
        { whenState: "isHovered", then: { depth: "topNodes", labelVisibility: "visible", backdropVisibility: "visible" } },
      ],
      edges: [
        {
          size: ({ size }) => size * room,
          color: edge,
          head: drawing.size > 1500 ? "none" : "arrow",
          path: "straight",
          parallelPath: "curved",
          label: { attribute: "label" },
          labelColor: quiet,
          labelSize: 11,
          labelFont: font,
          opacity: ({ isFaded, isLabelled }) => (isFaded ? 0.06 : isCrowd && !isLabelled ? 0.3 : 1),
          visibility: ({ isHidden }) => (isHidden ? "hidden" : "visible"),
          labelVisibility: ({ isFaded, isLabelled }) => (isLabelled && !isFaded ? "auto" : "hidden"),
        },
      ],
    },
    settings: {
      renderEdgeLabels: true,
      hideEdgesOnMove: drawing.size > 3000,
      itemSizesReference: "screen",
      labelDensity: isCrowd ? 0.5 : 1.4,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: isCrowd ? 4.5 : 4,
      minEdgeThickness: isCrowd ? 0.5 : 1,
      enableCameraRotation: false,
      enableNodeDrag: true,
      stagePadding: 60,
      zoomDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200,
    },
  });
  sigma.on("clickNode", ({ node }) => hands.select(node));
  sigma.on("clickStage", () => hands.select(null));
  sigma.on("doubleClickNode", (payload) => {
    payload.preventSigmaDefault();
    hands.expand(payload.node);
  });
  return sigma;
}

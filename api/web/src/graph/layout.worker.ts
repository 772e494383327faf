import { MultiDirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import noverlap from "graphology-layout-noverlap";
import type { LayoutRequest } from "./layout";

// Off the page's thread: a large memory is laid out while the page stays usable.
addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  const graph = new MultiDirectedGraph();
  for (const { key, x, y, size } of data.nodes) graph.addNode(key, { x, y, size });
  for (const [source, target, weight] of data.edges) graph.addEdge(source, target, { weight });
  const isLarge = graph.order > 400;
  const spread = { ...forceAtlas2.inferSettings(graph), linLogMode: true, barnesHutOptimize: isLarge, outboundAttractionDistribution: false };
  forceAtlas2.assign(graph, {
    iterations: isLarge ? 300 : 1500,
    getEdgeWeight: "weight",
    settings: { ...spread, gravity: 0.35, scalingRatio: isLarge ? 4 : 12, slowDown: 2 },
  });
  if (!isLarge) noverlap.assign(graph, { maxIterations: 200, settings: { margin: 3, ratio: 1.2, expansion: 1.15, gridSize: 20 } });
  postMessage(graph.mapNodes((key, { x, y }) => [key, x, y]));
});

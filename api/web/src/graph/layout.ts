import type { Drawing } from "./drawing";
import LayoutWorker from "./layout.worker?worker";

export interface LayoutRequest {
  nodes: { key: string; x: number; y: number; size: number }[];
  edges: [source: string, target: string, weight: number][];
}

let worker: Worker | null = null;

/** Finds places for all nodes from where they are; a newer call makes an older one never answer. */
export function layOut(drawing: Drawing): Promise<Map<string, { x: number; y: number }>> {
  worker?.terminate();
  const own = new LayoutWorker();
  worker = own;
  const request: LayoutRequest = {
    nodes: drawing.mapNodes((key, { x, y, size }) => ({ key, x, y, size })),
    edges: drawing.mapEdges((_key, { strength }, source, target) => [source, target, 0.3 + strength]),
  };
  return new Promise((resolve, reject) => {
    own.addEventListener("message", ({ data }: MessageEvent<[string, number, number][]>) => {
      own.terminate();
      resolve(new Map(data.map(([key, x, y]) => [key, { x, y }])));
    });
    own.addEventListener("error", ({ message }) => reject(new Error(message)));
    own.postMessage(request);
  });
}

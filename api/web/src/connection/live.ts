import { type Client, createClient } from "graphql-ws";
import { key } from "./key";
import { lost } from "./presence";
import type { Operation } from "./operation";

let client: Client | null = null;
let keyOfClient: string | null = null;

function connected(): Client {
  if (client && keyOfClient === key.value) return client;
  void client?.dispose();
  keyOfClient = key.value;
  client = createClient({
    url: new URL("/graphql", location.href.replace(/^http/, "ws")).href,
    lazy: true,
    retryAttempts: Number.POSITIVE_INFINITY,
    // A browser cannot set headers on a WebSocket: the key travels in its first message.
    connectionParams: () => (key.value ? { authorization: `Bearer ${key.value}` } : {}),
    shouldRetry: () => true,
    on: {
      closed: (event) => {
        if (event instanceof CloseEvent && event.code === 1006) lost();
      },
    },
  });
  return client;
}

/** Hears of every value of a subscription until the returned function is called, or the service ends it. */
export function listen<Result, Variables extends Record<string, unknown>>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  hear: (value: Result) => void,
  onEnd: () => void = () => undefined,
): () => void {
  let isWanted = true;
  const stop = connected().subscribe<Result>(
    { query: operation, variables },
    {
      next: ({ data }) => {
        if (data) hear(data);
      },
      // What a subscription shows can also be asked for: its end is no failure of the view.
      error: () => undefined,
      complete: () => {
        if (isWanted) onEnd();
      },
    },
  );
  return () => {
    isWanted = false; // the client calls `complete` for a reader who leaves, too
    stop();
  };
}

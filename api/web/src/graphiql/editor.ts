import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./editor.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createClient } from "graphql-ws";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { key } from "../connection/key";
import { examples } from "./examples";

/** GraphiQL over this service, with the example queries in its tabs on the first visit. */
export function showEditor(): void {
  const headers: Record<string, string> = key.value ? { authorization: `Bearer ${key.value}` } : {};
  const fetcher = createGraphiQLFetcher({
    url: "/graphql",
    headers,
    wsClient: createClient({
      url: new URL("/graphql", location.href.replace(/^http/, "ws")).href,
      lazy: true,
      connectionParams: headers,
    }),
  });
  const place = document.createElement("div");
  place.id = "graphiql";
  document.body.append(place);
  // GraphiQL takes the first tab's variables apart from its query, and later visits from what it kept.
  const isFirstVisit = localStorage.getItem("graphiql:tabState") === null;
  createRoot(place).render(
    createElement(GraphiQL, {
      fetcher,
      defaultTabs: examples,
      defaultEditorToolsVisibility: "variables",
      shouldPersistHeaders: false,
      ...(isFirstVisit && examples[0]?.variables ? { initialVariables: examples[0].variables } : {}),
    }),
  );
}

import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./editor.css";
import { createGraphiQLFetcher, type Fetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { GraphQLError, Kind, parse, type DocumentNode } from "graphql";
import { createClient } from "graphql-ws";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { key } from "../connection/key";
import { examples } from "./examples";

function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined; // The service says what is wrong with it.
    throw error;
  }
}

/**
 * Goes by the text that is sent. GraphiQL parses the editor a moment after its last change, so that a tab run at once
 * would go out as an operation of the tab before: a subscription by HTTP, or under a name it does not have.
 */
function byItsText(fetcher: Fetcher): Fetcher {
  return (params, options) => {
    const documentAST = parsed(params.query);
    const operations = documentAST?.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION) ?? [];
    const names = operations.flatMap(({ name }) => name?.value ?? []);
    const asked = params.operationName ?? "";
    const operationName = names.includes(asked) ? asked : ((operations.length === 1 && names[0]) || null);
    return fetcher({ ...params, operationName }, { ...options, ...(documentAST ? { documentAST } : {}) });
  };
}

/** GraphiQL over this service, with the example queries in its tabs on the first visit. */
export function showEditor(): void {
  const headers: Record<string, string> = key.value ? { authorization: `Bearer ${key.value}` } : {};
  const fetcher = byItsText(
    createGraphiQLFetcher({
      url: "/graphql",
      headers,
      wsClient: createClient({
        url: new URL("/graphql", location.href.replace(/^http/, "ws")).href,
        lazy: true,
        connectionParams: headers,
      }),
    }),
  );
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

import { key } from "../connection/key";

const response = await fetch("/graphql", {
  method: "POST",
  headers: { "content-type": "application/json", ...(key.value ? { authorization: `Bearer ${key.value}` } : {}) },
  body: JSON.stringify({ query: "{ __typename }" }),
}).catch(() => null);

// The key is asked for as on the page, before the editor with its megabytes comes.
if (response?.status === 401) (await import("./locked")).askForKey();
else (await import("./editor")).showEditor();

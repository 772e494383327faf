import { KeyNeeded, Refused, Unreachable } from "./failures";
import { key, keyRefused } from "./key";
import { lost } from "./presence";
import type { Operation } from "./operation";

interface Answer<Result> {
  data?: Result | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Sends one operation and returns its data; throws one of the failures. */
export async function ask<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const response = await send("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: operation, variables }),
    ...(signal ? { signal } : {}),
  });
  const answer = await read<Result>(response);
  const error = answer.errors?.[0];
  if (error) throw new Refused(error.extensions?.code ?? `HTTP_${response.status}`, error.message);
  if (!answer.data) throw new Refused(`HTTP_${response.status}`, response.statusText);
  return answer.data;
}

/** Fetches from the service with the key, and takes note of its silence. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key.value) headers.set("authorization", `Bearer ${key.value}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    lost();
    throw new Unreachable("the service does not answer");
  }
  if (response.status === 401) {
    keyRefused.value = true;
    throw new KeyNeeded("the service wants an API key");
  }
  return response;
}

async function read<Result>(response: Response): Promise<Answer<Result>> {
  try {
    return (await response.json()) as Answer<Result>;
  } catch {
    throw new Refused(`HTTP_${response.status}`, response.statusText || "no JSON came back");
  }
}

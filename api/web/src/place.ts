import { computed, signal } from "@preact/signals";

/** Where the page is: everything after the `#`, so that a link brings back the view. */
const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

/** A step as it was before it was put into an address; one that is no such thing (`%`, typed by hand) as it stands. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The address behind the `#`; where that is none (`//`), where a visit begins. */
function read(text: string): URL {
  try {
    return new URL(text || "/recall", "http://page");
  } catch {
    return new URL("/recall", "http://page");
  }
}

const address = computed(() => read(hash.value.slice(1)));

/** The steps of the path: `["entity", uuid]`. */
export const path = computed(() => address.value.pathname.split("/").filter(Boolean).map(decoded));
export const parameters = computed(() => address.value.searchParams);
export const space = computed(() => parameters.value.get("space") || "default");
export const conversation = computed(() => parameters.value.get("conversation") || "default");

/** A link to a view that stays in the space and the conversation. */
export function link(to: string[], extra: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  for (const name of ["space", "conversation"]) {
    const value = parameters.value.get(name);
    if (value && value !== "default") query.set(name, value);
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  return `#/${to.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

export function go(to: string[], extra: Record<string, string> = {}): void {
  location.hash = link(to, extra);
}

/** Changes parameters of the view without a new step in the history. */
export function adjust(extra: Record<string, string>): void {
  const kept = Object.fromEntries(parameters.value);
  history.replaceState(null, "", link(path.value, { ...kept, ...extra }));
  hash.value = location.hash;
}

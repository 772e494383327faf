import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const PLACE = "impressions.theme";
const kept = localStorage.getItem(PLACE);
const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal<Theme>(kept === "light" || kept === "dark" ? kept : "system");

/** Changes with whatever changes the colours: a canvas has to be painted anew. */
export const isDark = signal(false);

effect(() => {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  isDark.value = theme.value === "dark" || (theme.value === "system" && system.matches);
});
system.addEventListener("change", () => {
  if (theme.value === "system") isDark.value = system.matches;
});

export function wear(chosen: Theme): void {
  localStorage.setItem(PLACE, chosen);
  theme.value = chosen;
}

/** The colour behind a custom property as it is right now: a canvas knows no light-dark(). */
export function colour(property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

import { computed, effect, signal } from "@preact/signals";
import { type Words, en } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";

const PLACE = "impressions.language";

function preferred(): Language {
  const chosen = localStorage.getItem(PLACE);
  if (chosen === "en" || chosen === "zh") return chosen;
  const known = navigator.languages.find((each) => /^(zh|en)\b/i.test(each));
  return known?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const language = signal<Language>(preferred());

/** Every text of the page, in the language that is shown. */
export const words = computed<Words>(() => (language.value === "zh" ? zh : en));

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

export function speak(chosen: Language): void {
  localStorage.setItem(PLACE, chosen);
  language.value = chosen;
}

const dates = computed(
  () => new Intl.DateTimeFormat(language.value === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" }),
);

export function when(time: string): string {
  return dates.value.format(new Date(time));
}

export function number(value: number): string {
  return value.toLocaleString(language.value === "zh" ? "zh-CN" : "en-GB");
}

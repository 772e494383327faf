import { signal } from "@preact/signals";

const PLACE = "impressions.key";

/** The API key, for as long as this tab lives. */
export const key = signal(sessionStorage.getItem(PLACE));

/** Whether the service refused the last request for want of the right key. */
export const keyRefused = signal(false);

export function enterKey(entered: string): void {
  sessionStorage.setItem(PLACE, entered);
  key.value = entered;
  keyRefused.value = false;
}

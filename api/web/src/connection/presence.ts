import { signal } from "@preact/signals";

const EVERY = 2000;

/** Whether the service answered when it was last asked. */
export const present = signal(true);

/** Counts the times the service came back: what depends on it loads anew. */
export const returns = signal(0);

/** Takes note that the service is silent, and looks for it until it answers. */
export function lost(): void {
  if (!present.value) return;
  present.value = false;
  const timer = setInterval(async () => {
    const answered = await fetch("/healthz", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!answered) return;
    clearInterval(timer);
    present.value = true;
    returns.value += 1;
  }, EVERY);
}

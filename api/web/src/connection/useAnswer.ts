import { useEffect, useRef, useState } from "preact/hooks";
import { type Failure, isFailure } from "./failures";
import { key } from "./key";
import { returns } from "./presence";

export interface Asked<Result> {
  value: Result | null;
  failure: Failure | null;
  busy: boolean;
  again: () => void;
}

/** Asks when the view appears, when `dependencies` change, and again when key or service come back. */
export function useAnswer<Result>(question: (signal: AbortSignal) => Promise<Result>, dependencies: unknown[]): Asked<Result> {
  const [state, setState] = useState<{ value: Result | null; failure: Failure | null; busy: boolean }>({
    value: null,
    failure: null,
    busy: true,
  });
  const [count, setCount] = useState(0);
  const latest = useRef(question);
  latest.current = question;
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    latest.current(abort.signal).then(
      (value) => setState({ value, failure: null, busy: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (!isFailure(error)) throw error;
        setState((before) => ({ value: before.value, failure: error, busy: false }));
      },
    );
    return () => abort.abort();
  }, [...dependencies, count, key.value, returns.value]);
  return { ...state, again: () => setCount((before) => before + 1) };
}

import { useEffect, useRef, useState } from "preact/hooks";
import { key } from "../connection/key";
import { listen } from "../connection/live";
import { returns } from "../connection/presence";
import { Progress, type RunLineFragment } from "../generated/operations";
import { space } from "../place";

/** Statuses from which a run may move on by itself. A prepared one does where it waits for nobody's word. */
const MOVING = ["OBSERVING", "PREPARED", "CONFIRMED"];

/**
 * A run as it moves on, by subscription. The service ends the subscription when the run waits for somebody or has ended;
 * `onRest` is called then, if it has moved.
 */
export function useProgress<Run extends RunLineFragment>(run: Run | null, onRest: () => void): Run | null {
  const [live, setLive] = useState<RunLineFragment | null>(null);
  const rest = useRef(onRest);
  rest.current = onRest;
  const known = useRef(run);
  known.current = run;
  const isMoving = run !== null && MOVING.includes(run.status);
  useEffect(() => {
    setLive(null);
    if (!run || !isMoving) return undefined;
    let last: RunLineFragment | null = null;
    return listen(
      Progress,
      { runId: run.id, space: space.value },
      ({ updateRunProgress }) => {
        last = updateRunProgress;
        setLive(updateRunProgress);
      },
      () => {
        if (last && last.updatedAt !== known.current?.updatedAt) rest.current();
      },
    );
    // What was asked for again is newer than what was heard: it is listened to from there.
  }, [run?.id, run?.updatedAt, isMoving, space.value, key.value, returns.value]);
  return run && live?.id === run.id ? { ...run, ...live } : run;
}

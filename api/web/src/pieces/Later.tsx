import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../language/language";

/** A view whose code comes when it is first shown. */
export function later(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Later() {
    const [View, setView] = useState<{ shown: ComponentType } | null>(loaded && { shown: loaded });
    const [hasFailed, setHasFailed] = useState(false);
    useEffect(() => {
      if (View) return;
      load().then(
        (found) => {
          loaded = found;
          setView({ shown: found });
        },
        () => setHasFailed(true),
      );
    }, [View]);
    if (View) return <View.shown />;
    return <p class="empty">{hasFailed ? words.value.failure.unreachable : words.value.shell.loading}</p>;
  };
}

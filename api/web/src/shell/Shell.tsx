import { useEffect, useRef, useState } from "preact/hooks";
import { keyRefused } from "../connection/key";
import { present } from "../connection/presence";
import { EntitiesView } from "../entity/EntitiesView";
import { EntityView } from "../entity/EntityView";
import { language, speak, words } from "../language/language";
import { later } from "../pieces/Later";
import mark from "../look/mark.svg";
import { adjust, link, path, space } from "../place";
import { RecallView } from "../recall/RecallView";
import { RunsView } from "../runs/RunsView";
import { InspectDialog } from "./InspectDialog";
import { KeyDialog } from "./KeyDialog";
import { type Theme, theme, wear } from "./theme";

// The graph library is most of the page: it comes with the graph.
const GraphView = later(async () => (await import("../graph/GraphView")).GraphView);
const VIEWS = ["recall", "graph", "entities", "runs"] as const;

export function Shell() {
  const { value: text } = words;
  const [inspecting, setInspecting] = useState(false);
  const [view = "recall", id] = path.value;
  const content = useRef<HTMLElement>(null);
  const first = useRef(true);

  useEffect(() => {
    const name = text.views[view === "entity" ? "entities" : ((VIEWS as readonly string[]).includes(view) ? view : "recall") as "recall"];
    document.title = `${name} · Impressions`;
    if (first.current) first.current = false;
    // A reader of the screen hears where it is now; without this the focus stays on a link of the old view.
    else content.current?.querySelector("h1")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view, id, text]);

  return (
    <>
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); content.current?.focus(); }}>
        {text.skip}
      </a>
      <header class="top">
        <a class="brand" href={link(["recall"])}>
          <img src={mark} alt="" />
          Impressions
        </a>
        <nav class="views" aria-label={text.views.label}>
          {VIEWS.map((each) => (
            <a key={each} href={link([each])} aria-current={view === each || (each === "entities" && view === "entity") ? "page" : undefined}>
              {text.views[each]}
            </a>
          ))}
        </nav>
        <div class="top-end">
          <SpaceField />
          <button type="button" class="button bare" onClick={() => setInspecting(true)}>
            {text.shell.inspect}
          </button>
          <select
            class="input slim theme-choice"
            aria-label={text.shell.theme.label}
            value={theme.value}
            onChange={(event) => wear(event.currentTarget.value as Theme)}
          >
            {(["system", "light", "dark"] as const).map((each) => (
              <option key={each} value={each}>
                {text.shell.theme[each]}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="button bare"
            aria-label={text.shell.languageLabel}
            lang={language.value === "zh" ? "en" : "zh"}
            onClick={() => speak(language.value === "zh" ? "en" : "zh")}
          >
            {text.shell.language}
          </button>
        </div>
      </header>
      <div role="status">{!present.value && <div class="banner">{text.shell.away}</div>}</div>
      <main id="content" tabIndex={-1} ref={content} class={view === "graph" ? "wide" : ""}>
        {view === "graph" ? (
          <GraphView />
        ) : view === "entities" ? (
          <EntitiesView />
        ) : view === "entity" && id ? (
          <EntityView key={id} uuid={id} />
        ) : view === "runs" ? (
          <RunsView {...(id ? { id } : {})} />
        ) : (
          <RecallView />
        )}
      </main>
      {keyRefused.value && <KeyDialog />}
      {inspecting && <InspectDialog onClose={() => setInspecting(false)} />}
    </>
  );
}

function SpaceField() {
  const [text, setText] = useState(space.value);
  useEffect(() => setText(space.value), [space.value]);
  return (
    <form
      class="space-field"
      onSubmit={(event) => {
        event.preventDefault();
        adjust({ space: text.trim() || "default" });
      }}
    >
      <label for="space">{words.value.shell.space}</label>
      <input
        id="space"
        class="input slim"
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={() => adjust({ space: text.trim() || "default" })}
      />
    </form>
  );
}

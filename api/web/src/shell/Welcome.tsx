import { useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import type { Operation } from "../connection/operation";
import { ask } from "../connection/request";
import { Stats } from "../generated/operations";
import { words } from "../language/language";
import { Told } from "../pieces/Told";
import { link, space } from "../place";
import { useAnswer } from "../connection/useAnswer";

const LoadExample = "mutation LoadExample($space: String!) { loadExample(space: $space) }" as Operation<
  { loadExample: boolean },
  { space: string }
>;

/** Where `make demo` puts its two memories. */
const DEMO_SPACES = ["example-zh", "example-en"];

/** The first visit to an empty memory: what there is to do. */
export function Welcome({ onLoaded, onTalk }: { onLoaded: () => void; onTalk: () => void }) {
  const { welcome: text } = words.value;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const demo = useAnswer(async (signal) => {
    const held = await Promise.all(DEMO_SPACES.map(async (each) => (await ask(Stats, { space: each }, signal)).stats.entities));
    return DEMO_SPACES.filter((each, place) => each !== space.value && (held[place] ?? 0) > 0);
  }, [space.value]);
  const load = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await ask(LoadExample, { space: space.value });
      onLoaded();
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="welcome">
      <div class="stack">
        <h2>{text.title}</h2>
        <p class="quiet">{text.told(space.value)}</p>
      </div>
      <ul class="welcome-ways">
        <li class="card first-way">
          <h2>{text.example}</h2>
          <p class="quiet">{text.exampleTold}</p>
          <button type="button" class="button main" disabled={busy} onClick={() => void load()}>
            {busy ? text.exampleBusy : text.exampleLoad}
          </button>
          {failure && <Told failure={failure} />}
        </li>
        <li class="card">
          <h2>{text.talk}</h2>
          <p class="quiet">{text.talkTold}</p>
          <button type="button" class="button" onClick={onTalk}>
            {text.talkGo}
          </button>
        </li>
        <li class="card">
          <h2>{text.import}</h2>
          <p class="quiet">{text.importTold}</p>
          <pre>{`impressions import memory.jsonl --space ${space.value}`}</pre>
        </li>
      </ul>
      {demo.value && demo.value.length > 0 && (
        <p>
          {text.demo}{" "}
          {demo.value.map((each, place) => (
            <span key={each}>
              {place > 0 && " · "}
              <a href={link(["recall"], { space: each })}>{each}</a>
            </span>
          ))}
        </p>
      )}
      <p class="fine">{text.other}</p>
    </section>
  );
}

import { words } from "../language/language";
import { space } from "../place";

/** The first visit to an empty memory: what there is to do. */
export function Welcome({ onLoaded, onTalk }: { onLoaded: () => void; onTalk: () => void }) {
  const { welcome: text } = words.value;
  void onLoaded;
  return (
    <section class="welcome">
      <div class="stack">
        <h2>{text.title}</h2>
        <p class="quiet">{text.told(space.value)}</p>
      </div>
      <ul class="welcome-ways">
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
      <p class="fine">{text.other}</p>
    </section>
  );
}

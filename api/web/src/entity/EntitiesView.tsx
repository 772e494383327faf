import { useEffect, useState } from "preact/hooks";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Create, Names, type NamesQuery, Stats } from "../generated/operations";
import { number, words } from "../language/language";
import { Dialog } from "../pieces/Dialog";
import { Told } from "../pieces/Told";
import { go, link, space } from "../place";
import { Welcome } from "../shell/Welcome";
import { usePlan } from "./usePlan";

const PAGE = 60;

type Page = NamesQuery["entities"];

/** All entities of the space, found by any part of a name. */
export function EntitiesView() {
  const { entities: text, shell } = words.value;
  const [part, setPart] = useState("");
  const [searched, setSearched] = useState("");
  const [more, setMore] = useState<Page[]>([]);
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSearched(part.trim()), 150);
    return () => clearTimeout(timer);
  }, [part]);
  useEffect(() => setMore([]), [searched, space.value]);
  const stats = useAnswer((signal) => ask(Stats, { space: space.value }, signal), [space.value]);
  const page = (after: string | null, signal?: AbortSignal) =>
    ask(Names, { space: space.value, first: PAGE, after, nameContains: searched || null }, signal);
  const first = useAnswer(async (signal) => (await page(null, signal)).entities, [space.value, searched]);
  const pages = first.value ? [first.value, ...more] : [];
  const last = pages.at(-1);
  const held = stats.value?.stats;
  return (
    <div class="stack">
      <div class="row apart">
        <h1 tabIndex={-1}>{text.title}</h1>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          {text.create}
        </button>
      </div>
      {held && (
        <dl class="stats">
          {Object.entries(held).map(([name, count]) => (
            <div key={name}>
              <dt>{text.stats[name as keyof typeof text.stats]}</dt>
              <dd>{number(count)}</dd>
            </div>
          ))}
        </dl>
      )}
      <input
        class="input"
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={part}
        onInput={(event) => setPart(event.currentTarget.value)}
      />
      {first.failure && <Told failure={first.failure} again={first.again} />}
      {last && pages[0]?.edges.length === 0 && searched && (
        <div class="card empty">
          <h2>{words.value.pick.none}</h2>
        </div>
      )}
      {last && pages[0]?.edges.length === 0 && !searched && (
        <Welcome
          onLoaded={() => {
            stats.again();
            first.again();
          }}
          onTalk={() => go(["recall"])}
        />
      )}
      <ul class="names">
        {pages
          .flatMap(({ edges }) => edges)
          .map(({ node }) => (
            <li key={node.uuid}>
              <a class="card name" href={link(["entity", node.uuid])}>
                <strong>{node.subject}</strong>
                <span class="fine">{node.aliases.filter(({ deprecated }) => !deprecated).map((alias) => alias.text).join(" · ")}</span>
              </a>
            </li>
          ))}
      </ul>
      {last?.pageInfo.hasNextPage && (
        <button
          type="button"
          class="button"
          onClick={() => void page(last.pageInfo.endCursor).then(({ entities }) => setMore([...more, entities]), () => undefined)}
        >
          {text.more}
        </button>
      )}
      {first.busy && !first.value && <p class="quiet">{shell.loading}</p>}
      {creating && <NewEntity onClose={() => setCreating(false)} />}
    </div>
  );
}

function NewEntity({ onClose }: { onClose: () => void }) {
  const { entities: text, edit } = words.value;
  const [subject, setSubject] = useState("");
  const [aliases, setAliases] = useState("");
  const [allowHomonym, setAllowHomonym] = useState(false);
  const plan = usePlan((run) => {
    const uuid = run.steps[0]?.entityUuid;
    onClose();
    if (uuid) go(["entity", uuid]);
  });
  const names = aliases.split(/[,，;；\n]/).map((each) => each.trim()).filter(Boolean);
  return (
    <>
      <Dialog title={text.create} onClose={onClose}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const input = { space: space.value, subject: subject.trim(), aliases: names, allowHomonym };
            void plan.propose(async () => (await ask(Create, { input })).createEntity);
          }}
        >
          <label class="field">
            <span>{edit.subject}</span>
            <input class="input" required value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
          </label>
          <label class="field">
            <span>{text.aliases}</span>
            <input class="input" value={aliases} onInput={(event) => setAliases(event.currentTarget.value)} />
          </label>
          <label class="check">
            <input type="checkbox" checked={allowHomonym} onChange={(event) => setAllowHomonym(event.currentTarget.checked)} />
            {edit.homonym}
          </label>
          {plan.told}
          <div class="dialog-end">
            <button type="button" class="button" onClick={onClose}>
              {edit.cancel}
            </button>
            <button type="submit" class="button main" disabled={plan.busy || !subject.trim()}>
              {edit.preview}
            </button>
          </div>
        </form>
      </Dialog>
      {plan.dialog}
    </>
  );
}

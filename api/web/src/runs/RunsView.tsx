import { useEffect, useState } from "preact/hooks";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Pending, type RunStatus, Runs, type RunsQuery } from "../generated/operations";
import { words } from "../language/language";
import { Told } from "../pieces/Told";
import { space } from "../place";
import { Decide } from "./Decide";
import { RunDetail } from "./RunDetail";
import { RunList } from "./RunList";

const PAGE = 50;
const WAITING_SHOWN = 50;
/** How often the list looks for runs that somebody else has started. */
const LOOK_EVERY = 3000;

type Page = RunsQuery["updateRuns"];

/** All runs, latest first; the chosen one beside them; what waits for a decision before both. */
export function RunsView({ id }: { id?: string }) {
  const { runs: text, entities } = words.value;
  const [status, setStatus] = useState<RunStatus | "">("");
  const [more, setMore] = useState<Page[]>([]);
  const page = async (after: string | null, signal?: AbortSignal): Promise<Page> =>
    (await ask(Runs, { space: space.value, first: PAGE, after, status: status || null }, signal)).updateRuns;
  const first = useAnswer((signal) => page(null, signal), [space.value, status]);
  const pending = useAnswer((signal) => ask(Pending, { space: space.value, first: WAITING_SHOWN }, signal), [space.value]);
  const waiting = pending.value?.pendingObservations ?? [];
  const waitingInAll = pending.value?.pendingObservationCount ?? 0;
  const pages = first.value ? [first.value, ...more] : [];
  // A page that was asked for later may begin with runs that another one ended with.
  const lines = [...new Map(pages.flatMap(({ edges }) => edges).map(({ node }) => [node.id, node])).values()];
  const last = pages.at(-1);
  const standing = lines.map((run) => `${run.id} ${run.status}`).join();

  useEffect(() => setMore([]), [space.value, status]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && first.again(), LOOK_EVERY);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (standing) pending.again();
  }, [standing]);
  const refresh = (): void => {
    first.again();
    pending.again();
  };
  return (
    <div class="stack">
      <div class="row apart">
        <h1 tabIndex={-1}>{text.title}</h1>
        <label class="row fine">
          {text.status}
          <select
            class="input slim status-choice"
            value={status}
            onChange={(event) => setStatus(event.currentTarget.value as RunStatus | "")}
          >
            <option value="">{text.any}</option>
            {Object.entries(text.statuses).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {first.failure && <Told failure={first.failure} again={refresh} />}
      {pending.failure && !first.failure && <Told failure={pending.failure} again={refresh} />}
      {!id && waiting.length > 0 && (
        <section class="stack">
          <h2>{text.waiting}</h2>
          {waitingInAll > waiting.length && <p class="fine">{text.waitingLatest(waiting.length, waitingInAll)}</p>}
          <ul class="stack">
            {waiting.map((observation) => (
              <Decide key={observation.id} observation={observation} onDecided={refresh} />
            ))}
          </ul>
        </section>
      )}
      {first.busy && !first.value && <p class="quiet">{words.value.shell.loading}</p>}
      {first.value && lines.length === 0 && !id && (
        <div class="card empty">
          <h2>{status ? text.noneOfStatus : text.none}</h2>
          {!status && <p>{text.noneTold}</p>}
        </div>
      )}
      <div class={`runs${id ? " with-detail" : ""}`}>
        {lines.length > 0 && (
          <div class="run-side">
            <RunList runs={lines} chosen={id} onRest={refresh} />
            {last?.pageInfo.hasNextPage && (
              <button
                type="button"
                class="button"
                onClick={() => void page(last.pageInfo.endCursor).then((next) => setMore([...more, next]), () => undefined)}
              >
                {entities.more}
              </button>
            )}
          </div>
        )}
        {id && <RunDetail key={id} id={id} onChange={refresh} />}
      </div>
    </div>
  );
}

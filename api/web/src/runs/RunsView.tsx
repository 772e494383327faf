import { useState } from "preact/hooks";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Pending, type RunStatus, Runs } from "../generated/operations";
import { when, words } from "../language/language";
import { Told } from "../pieces/Told";
import { link, space } from "../place";
import { Decide } from "./Decide";
import { RunDetail } from "./RunDetail";
import { StatusTag } from "./StatusTag";

const FIRST = 50;

/** All runs, latest first; the chosen one beside them; what waits for a decision before both. */
export function RunsView({ id }: { id?: string }) {
  const { runs: text } = words.value;
  const [status, setStatus] = useState<RunStatus | "">("");
  const runs = useAnswer(
    async (signal) => (await ask(Runs, { space: space.value, first: FIRST, status: status || null }, signal)).updateRuns,
    [space.value, status],
  );
  const pending = useAnswer(async (signal) => (await ask(Pending, { space: space.value }, signal)).pendingObservations, [space.value]);
  const refresh = (): void => {
    runs.again();
    pending.again();
  };
  const lines = runs.value?.edges.map(({ node }) => node) ?? [];
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
      {runs.failure && <Told failure={runs.failure} again={refresh} />}
      {pending.failure && !runs.failure && <Told failure={pending.failure} again={refresh} />}
      {!id && (pending.value?.length ?? 0) > 0 && (
        <section class="stack">
          <h2>{text.waiting}</h2>
          <ul class="stack">
            {pending.value?.map((observation) => (
              <Decide key={observation.id} observation={observation} onDecided={refresh} />
            ))}
          </ul>
        </section>
      )}
      {lines.length === 0 && !runs.busy && !runs.failure && !id && (
        <div class="card empty">
          <h2>{text.none}</h2>
          <p>{text.noneTold}</p>
        </div>
      )}
      <div class={`runs${id ? " with-detail" : ""}`}>
        {lines.length > 0 && (
          <ul class="run-list">
            {lines.map((run) => (
              <li key={run.id}>
                <a class="card run-line" href={link(["runs", run.id])} aria-current={run.id === id ? "true" : undefined}>
                  <span class="row apart">
                    <strong>{text.origins[run.origin] ?? run.origin}</strong>
                    <StatusTag status={run.status} />
                  </span>
                  <span class="fine">
                    {when(run.createdAt)} · {run.conversation}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {id && <RunDetail key={id} id={id} onChange={refresh} />}
      </div>
    </div>
  );
}

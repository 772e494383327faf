import { useState } from "preact/hooks";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Card, RemoveRelation, RemoveStatement, type CardQuery } from "../generated/operations";
import { when, words } from "../language/language";
import { Cut } from "../pieces/Cut";
import { Told } from "../pieces/Told";
import { link, space } from "../place";
import { StatusTag } from "../runs/StatusTag";
import { AliasDialog } from "./AliasDialog";
import { EditDialog, type Edit } from "./EditDialog";
import { Forgetting } from "./Forgetting";
import { Relations } from "./Relations";
import { Statements } from "./Statements";
import { usePlan } from "./usePlan";

export type Entity = NonNullable<CardQuery["entity"]>;
export type Statement = Entity["impressions"][number];

/** Everything known of one entity, and the edits a person can make. */
export function EntityView({ uuid }: { uuid: string }) {
  const { entity: text, edit: editText, failure } = words.value;
  const asked = useAnswer(async (signal) => (await ask(Card, { uuid, space: space.value }, signal)).entity, [uuid, space.value]);
  const [edit, setEdit] = useState<Edit | null>(null);
  const [name, setName] = useState<Entity["aliases"][number] | null>(null);
  const [isForgetting, setIsForgetting] = useState(false);
  const plan = usePlan(() => {
    setEdit(null);
    setName(null);
    asked.again();
  });
  const entity = asked.value;
  if (!entity) {
    if (asked.failure) return <Told failure={asked.failure} again={asked.again} />;
    return asked.busy ? <p class="quiet">{words.value.shell.loading}</p> : <p class="notice">{failure.notFound}</p>;
  }
  const where = { space: space.value };
  return (
    <article class="entity">
      <header class="stack">
        <div class="row apart">
          <h1 tabIndex={-1}>{entity.subject}</h1>
          <div class="row">
            <a class="button" href={link(["graph"], { from: uuid })}>
              {text.inGraph}
            </a>
            <button type="button" class="button" onClick={() => setEdit({ kind: "rename" })}>
              {editText.rename}
            </button>
            <button type="button" class="button" onClick={() => setEdit({ kind: "merge" })}>
              {editText.merge}
            </button>
            <button type="button" class="button grave" onClick={() => setIsForgetting(true)}>
              {editText.forget}
            </button>
          </div>
        </div>
        <ul class="row" aria-label={text.aliases}>
          {entity.aliases.map((alias) => (
            <li key={alias.text} class={`tag alias${alias.deprecated ? " deprecated" : ""}`}>
              {alias.deprecated ? <s>{alias.text}</s> : alias.text}
              {alias.deprecated && <small>{text.deprecated}</small>}
              <button
                type="button"
                aria-label={editText.removeAlias(alias.text)}
                title={editText.removeAlias(alias.text)}
                disabled={plan.busy}
                onClick={() => setName(alias)}
              >
                ×
              </button>
            </li>
          ))}
          <li>
            <button type="button" class="button slim bare" onClick={() => setEdit({ kind: "alias" })}>
              + {editText.addAlias}
            </button>
          </li>
        </ul>
        <Cut all={entity.aliases} most={200} />
        <p class="fine">
          {[
            text.revision(entity.revision),
            text.created(when(entity.createdAt)),
            text.updated(when(entity.updatedAt)),
            entity.lastMentionedAt && text.mentioned(when(entity.lastMentionedAt)),
            entity.externalId && text.externalId(entity.externalId),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {plan.told}
      </header>
      <div class="entity-columns">
        <div class="stack">
          {(["impression", "feature"] as const).map((kind) => (
            <Statements
              key={kind}
              kind={kind}
              statements={kind === "impression" ? entity.impressions : entity.features}
              busy={plan.busy}
              onAdd={() => setEdit({ kind })}
              onEdit={(statement) => setEdit({ kind, statement })}
              onRemove={({ uuid: statementUuid }) =>
                void plan.propose(async () => (await ask(RemoveStatement, { statementUuid, ...where })).removeStatement)
              }
            />
          ))}
        </div>
        <div class="stack">
          <Relations
            entity={entity}
            busy={plan.busy}
            onAdd={() => setEdit({ kind: "relation" })}
            onRemove={(relationUuid) =>
              void plan.propose(async () => (await ask(RemoveRelation, { relationUuid, ...where })).removeRelation)
            }
          />
          <section class="card panel">
            <h2>{text.runs}</h2>
            {entity.runs.length === 0 && <p class="quiet">{text.noRuns}</p>}
            <ul class="lines">
              {entity.runs.map((run) => (
                <li key={run.id} class="row apart">
                  <a href={link(["runs", run.id])}>
                    {words.value.runs.origins[run.origin] ?? run.origin} · {when(run.createdAt)}
                  </a>
                  <StatusTag status={run.status} />
                </li>
              ))}
            </ul>
          </section>
        </div>
      </div>
      {edit && <EditDialog entity={entity} edit={edit} plan={plan} onClose={() => setEdit(null)} />}
      {name && <AliasDialog entity={entity} alias={name} plan={plan} onClose={() => setName(null)} />}
      {plan.dialog}
      {isForgetting && <Forgetting entity={entity} onClose={() => setIsForgetting(false)} />}
    </article>
  );
}

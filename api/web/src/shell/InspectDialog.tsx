import { send } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { words } from "../language/language";
import { Dialog } from "../pieces/Dialog";

interface Facts {
  browserUrl: string | null;
  boltUri: string;
}

/** The ways to look behind the page: GraphiQL, and Neo4j Browser with what it asks for. */
export function InspectDialog({ onClose }: { onClose: () => void }) {
  const { inspect: text, shell } = words.value;
  const { value: facts } = useAnswer(async (signal) => (await (await send("/page/facts", { signal })).json()) as Facts, []);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <section class="stack">
        <h3>
          <a href="/graphql">{text.graphiql}</a>
        </h3>
        <p>{text.graphiqlTold}</p>
      </section>
      <section class="stack">
        <h3>{facts?.browserUrl ? <a href={facts.browserUrl} rel="noreferrer">{text.browser}</a> : text.browser}</h3>
        <p>{text.browserTold}</p>
        {facts && <pre>{facts.boltUri}</pre>}
        {facts && <p class="fine">{facts.browserUrl ? text.browserManaged : text.browserOwn}</p>}
        <p class="fine">{text.style}</p>
      </section>
      <div class="dialog-end">
        <button type="button" class="button" onClick={onClose}>
          {shell.close}
        </button>
      </div>
    </Dialog>
  );
}

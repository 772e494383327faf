import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ask } from "../connection/request";
import { Names, type NamesQuery } from "../generated/operations";
import { words } from "../language/language";
import { space } from "../place";

type Named = NamesQuery["entities"]["edges"][number]["node"];

interface Properties {
  label: string;
  onPick: (picked: { uuid: string; subject: string }) => void;
  placeholder?: string;
  slim?: boolean;
  /** Whether the picked name stays in the field. */
  keep?: boolean;
}

/** A field that finds an entity by any part of its names: a combobox after the ARIA pattern. */
export function NamePicker({ label, onPick, placeholder, slim = false, keep = false }: Properties) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Named[] | null>(null);
  const [at, setAt] = useState(0);
  const picked = useRef("");
  const list = useId();
  const options = useRef<HTMLUListElement>(null);

  useEffect(() => {
    const part = text.trim();
    if (!part || part === picked.current) {
      setFound(null);
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(Names, { space: space.value, first: 12, nameContains: part }, abort.signal);
        setFound(answer.entities.edges.map(({ node }) => node));
        setAt(0);
      } catch {
        setFound(null); // the banner tells of a service that is away; a name that was not found is no error
      }
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, space.value]);

  // At the end of a page the names would open below the screen; among many the chosen one may be out of sight.
  useEffect(() => options.current?.scrollIntoView({ block: "nearest" }), [found]);
  useEffect(() => options.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);

  const choose = (named: Named): void => {
    picked.current = keep ? named.subject : "";
    setText(picked.current);
    setFound(null);
    onPick(named);
  };
  const press = (event: KeyboardEvent): void => {
    if (!found?.length) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step) setAt((at + step + found.length) % found.length);
    else if (event.key === "Enter") choose(found[at] as Named);
    else if (event.key === "Escape") setFound(null);
    else return;
    event.preventDefault();
  };

  return (
    <div class="picker">
      <input
        class={`input${slim ? " slim" : ""}`}
        role="combobox"
        aria-label={label}
        aria-expanded={found !== null}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={found?.length ? `${list}-${at}` : undefined}
        autocomplete="off"
        placeholder={placeholder ?? words.value.pick.placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
        onBlur={() => setTimeout(() => setFound(null), 150)}
      />
      {found && found.length > 0 && (
        <ul ref={options} class="picker-options" id={list} role="listbox" aria-label={words.value.pick.options}>
          {found.map((named, place) => (
            <li
              key={named.uuid}
              id={`${list}-${place}`}
              role="option"
              aria-selected={place === at}
              onMouseDown={() => choose(named)}
              onMouseEnter={() => setAt(place)}
            >
              {named.subject}
              <small>
                {named.aliases
                  .slice(0, 3)
                  .map((alias) => alias.text)
                  .join(" · ")}
              </small>
            </li>
          ))}
        </ul>
      )}
      {found && found.length === 0 && (
        <ul class="picker-options" id={list} role="listbox" aria-label={words.value.pick.options}>
          <li role="option" aria-selected={false} aria-disabled="true" class="quiet">
            {words.value.pick.none}
          </li>
        </ul>
      )}
    </div>
  );
}

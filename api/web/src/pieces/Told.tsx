import { KeyNeeded, Refused, Unreachable, type Failure } from "../connection/failures";
import { heard } from "../language/heard";
import { language, words } from "../language/language";

/** A failure in words, with what can be done. */
export function Told({ failure, again }: { failure: Failure; again?: () => void }) {
  const { failure: told, shell } = words.value;
  return (
    <div class="notice bad" role="alert">
      <strong>
        {failure instanceof Unreachable && told.unreachable}
        {failure instanceof KeyNeeded && told.key}
        {failure instanceof Refused && told.refused(failure.code)}
      </strong>
      {failure instanceof Refused && <span>{failure.message}</span>}
      {again && (
        <span>
          <button type="button" class="button slim" onClick={again}>
            {shell.tryAgain}
          </button>
        </span>
      )}
    </div>
  );
}

interface Unwanted {
  __typename: string;
  message: string;
  code?: string;
  path?: string;
  setting?: string;
  conflicts?: string[];
}

/** A typed refusal of the API: InvalidInput, NotFound, Conflict, NotConfigured or Unavailable. */
export function Answered({ result }: { result: Unwanted }) {
  const { failure, codes } = words.value;
  const headings: Record<string, string> = {
    Unavailable: failure.unavailable,
    NotFound: failure.notFound,
    Conflict: failure.conflict,
    NotConfigured: failure.notConfigured(result.setting ?? ""),
  };
  const heading = headings[result.__typename] ?? failure.refused((result.code && codes.refused[result.code]) ?? result.code ?? "");
  return (
    <div class="notice bad" role="alert">
      <strong>{heading}</strong>
      {(language.value === "en" || !(result.__typename in headings) || result.conflicts) && <span>{heard(result.message)}</span>}
      {result.conflicts?.map((conflict) => (
        <span key={conflict}>{heard(conflict)}</span>
      ))}
    </div>
  );
}

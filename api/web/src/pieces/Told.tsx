import { KeyNeeded, Refused, Unreachable, type Failure } from "../connection/failures";
import { words } from "../language/language";

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
  const { failure } = words.value;
  const heading =
    result.__typename === "Unavailable"
      ? failure.unavailable
      : result.__typename === "NotFound"
        ? failure.notFound
        : failure.refused(result.code ?? result.setting ?? result.__typename);
  return (
    <div class="notice bad" role="alert">
      <strong>{heading}</strong>
      <span>{result.message}</span>
      {result.conflicts?.map((conflict) => <span key={conflict}>{conflict}</span>)}
    </div>
  );
}

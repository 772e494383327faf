import { heard } from "../language/heard";
import { language } from "../language/language";

interface Properties {
  /** The code in words; none where the page does not know it. */
  word: string | undefined;
  reason: string;
}

/** A reason: the service's own sentence where it is in the reader's language, else the words for its code. */
export function Because({ word, reason }: Properties) {
  return <>{language.value === "en" || word === undefined ? heard(reason) : word}</>;
}

/** The service's own sentence below words that say its code already; nothing where it would not be understood. */
export function Beyond({ word, reason }: Properties) {
  return language.value === "en" || word === undefined ? <p class="fine">{heard(reason)}</p> : null;
}

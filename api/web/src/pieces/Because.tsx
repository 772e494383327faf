import { heard } from "../language/heard";
import { language } from "../language/language";

/** A reason: the service's own sentence where it is in the reader's language, else the words for its code. */
export function Because({ word, reason }: { word: string | undefined; reason: string }) {
  return <>{language.value === "en" || word === undefined ? heard(reason) : word}</>;
}

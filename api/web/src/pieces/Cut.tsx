import { number, words } from "../language/language";

/** Says that no more of a list was asked for, where it is as long as that. */
export function Cut({ all, most }: { all: readonly unknown[]; most: number }) {
  return all.length < most ? null : <p class="fine">{words.value.shell.noMoreThan(number(most))}</p>;
}

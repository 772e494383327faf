import { useState } from "preact/hooks";
import type { ProjectMutation, RecallQuery } from "../generated/operations";
import { heard } from "../language/heard";
import { number, words } from "../language/language";
import { link } from "../place";
import { MatchCard } from "./MatchCard";
import { Marked } from "./Marked";
import { type Match, matchedTerms } from "./terms";
import { WhyNot } from "./WhyNot";

type Found = Extract<RecallQuery["recall"], { __typename: "Recall" }> | Extract<ProjectMutation["projectEntity"], { __typename: "Projection" }>;

/** What a text brought to mind: the text with its matched words, and a card a match. */
export function Findings({ text: asked, found }: { text: string; found: Found }) {
  const { recall: text, channels } = words.value;
  const [pointed, setPointed] = useState<Match | null>(null);
  const attached = found.matches.filter((match) => match.attached);
  const cut = found.matches.filter((match) => !match.attached);
  const terms = matchedTerms(pointed ? [pointed] : attached.length > 0 ? attached : found.matches);
  const names = subjects(found.matches);
  const ids = attached.flatMap(({ target }) => target.entity?.uuid ?? []);
  return (
    <section class="answer">
      <div class="echo">
        <blockquote>
          <Marked text={asked} terms={terms} />
        </blockquote>
        <div class="row apart">
          <div class="legend" aria-label={text.legend}>
            {Object.entries(channels).map(([channel, name]) => (
              <span key={channel} class={`channel-${channel}`}>
                <span class="dot" />
                {name}
              </span>
            ))}
          </div>
          <div class="row fine">
            {found.__typename === "Recall" && <span>{text.took(number(Math.round(found.tookMs)), found.vectorUsed)}</span>}
            {ids.length > 0 && <a href={link(["graph"], { from: ids.join(",") })}>{text.showGraph}</a>}
          </div>
        </div>
      </div>
      {found.matches.length === 0 && (
        <div class="card empty">
          <h2>{text.none}</h2>
          <p>{text.noneTold}</p>
        </div>
      )}
      {found.ambiguousNames.map(({ name, candidates }) => (
        <div class="notice" key={name}>
          <strong>{text.ambiguous}</strong>
          <span>
            {text.ambiguousTold(name)}{" "}
            {candidates.map((each, place) => (
              <span key={each.uuid}>
                {place > 0 && " · "}
                <a href={link(["entity", each.uuid])}>{each.subject}</a>
              </span>
            ))}
          </span>
        </div>
      ))}
      {found.matches.length > 0 && <h2>{text.found(attached.length, found.matches.length)}</h2>}
      {[attached, cut].map(
        (matches, place) =>
          matches.length > 0 && (
            <div class="stack" key={place}>
              {place === 1 && <h3>{text.cutOnes(cut.length)}</h3>}
              <ul class="matches">
                {matches.map((match) => (
                  <MatchCard
                    key={`${match.target.type} ${match.target.id}`}
                    match={match}
                    names={names}
                    onPoint={(isPointed) => setPointed(isPointed ? match : null)}
                  />
                ))}
              </ul>
            </div>
          ),
      )}
      {found.notes.length > 0 && (
        <ul class="fine">
          {found.notes.map((note) => (
            <li key={note}>{heard(note)}</li>
          ))}
        </ul>
      )}
      <WhyNot text={asked} names={names} />
    </section>
  );
}

function subjects(matches: readonly Match[]): Map<string, string> {
  return new Map(matches.flatMap(({ target }) => (target.entity ? [[target.entity.uuid, target.entity.subject] as const] : [])));
}

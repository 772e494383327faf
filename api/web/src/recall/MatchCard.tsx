import type { ComponentChildren } from "preact";
import { language, words } from "../language/language";
import { link } from "../place";
import { Marked } from "./Marked";
import { type Match, type Signal, ownTerms } from "./terms";

interface Properties {
  match: Match;
  /** Subjects by uuid, for the ends of a path. */
  names: ReadonlyMap<string, string>;
  heading?: ComponentChildren;
  /** Shows the signals of a match that was cut, too. */
  isOpen?: boolean;
  onPoint?: (pointed: boolean) => void;
}

/** One match: who, how strongly, why. */
export function MatchCard({ match, names, heading, isOpen = false, onPoint }: Properties) {
  const { recall: text } = words.value;
  const { entity, activeEntity } = match.target;
  const adding = match.signals.filter(({ contribution }) => contribution > 0);
  const rest = match.signals.filter(({ contribution }) => contribution <= 0);
  const line = (signal: Signal, place: number) => <SignalLine key={place} signal={signal} names={names} />;
  const name = match.target.subject ?? match.target.id;
  return (
    <li
      class={`card match${match.attached ? "" : " cut"}`}
      onMouseEnter={() => onPoint?.(true)}
      onMouseLeave={() => onPoint?.(false)}
    >
      <div class="match-head">
        <h3>{heading ?? (entity ? <a href={link(["entity", entity.uuid])}>{name}</a> : name)}</h3>
        <span class={`tag${match.attached ? " good" : ""}`}>{match.attached ? text.attached : text.cut}</span>
        {activeEntity && <span class="tag accent">{entity ? text.active : text.unbound}</span>}
        <span class="score" title={text.score}>
          <span class="unseen">{text.score} </span>
          {match.score.toFixed(2)}
        </span>
      </div>
      <ContributionBar match={match} />
      <p class="fine" title={match.reason}>
        {ruled(match.rule, match.score, match.reason)}
      </p>
      {match.attached || isOpen ? (
        <>
          <ul class="signals">{adding.map(line)}</ul>
          {rest.length > 0 && (
            <details>
              <summary>{text.more(rest.length)}</summary>
              <ul class="signals">{rest.map(line)}</ul>
            </details>
          )}
        </>
      ) : (
        <details>
          <summary>{text.signals(match.signals.length)}</summary>
          <ul class="signals">{match.signals.map(line)}</ul>
        </details>
      )}
    </li>
  );
}

/** The rule in the reader's language; its reason as the service wrote it where the page does not know the rule. */
export function ruled(rule: string, score: number, reason: string): string {
  return words.value.recall.rules[rule]?.(score.toFixed(2)) ?? reason;
}

function ContributionBar({ match }: { match: Match }) {
  const { recall, channels } = words.value;
  const shares = new Map<string, number>();
  for (const { channel, contribution } of match.signals) {
    if (contribution > 0) shares.set(channel, (shares.get(channel) ?? 0) + contribution);
  }
  const parts = [...shares].sort(([, one], [, other]) => other - one);
  const told = parts.map(([channel, share]) => `${channels[channel] ?? channel} ${share.toFixed(2)}`);
  return (
    <div class="bar" role="img" aria-label={recall.bar(told.join(language.value === "zh" ? "、" : ", "), match.score.toFixed(2))}>
      {parts.map(([channel, share], place) => (
        <span key={channel} class={`channel-${channel}`} style={{ width: `${share * 100}%` }} title={told[place]} />
      ))}
    </div>
  );
}

function SignalLine({ signal, names }: { signal: Signal; names: ReadonlyMap<string, string> }) {
  const { channels } = words.value;
  return (
    <li class={`channel-${signal.channel}`} title={signal.reason}>
      <span class="dot" />
      <span class="quiet">{channels[signal.channel] ?? signal.channel}</span>
      <span class={`share${signal.contribution > 0 ? "" : " none"}`}>{signal.contribution > 0 ? signal.contribution.toFixed(2) : "–"}</span>
      <span>
        <Reason signal={signal} names={names} />
      </span>
    </li>
  );
}

function Reason({ signal, names }: { signal: Signal; names: ReadonlyMap<string, string> }) {
  const { recall: text, fields } = words.value;
  const { textHit, vectorHit, path, channel } = signal;
  if (path?.length) return <Path path={path} names={names} />;
  if (textHit) {
    const field = fields[textHit.field] ?? textHit.field;
    return (
      <>
        <span class="quiet">{channel === "NAME" ? text.nameStands(field) : text.sharesWith(field)}</span>{" "}
        <q>
          <Marked text={textHit.text} terms={ownTerms(signal)} />
        </q>
      </>
    );
  }
  if (vectorHit) {
    return (
      <>
        <span class="quiet">{text.nearTo}</span> <q>{vectorHit.text}</q>{" "}
        <span class="fine">({text.cosine(vectorHit.similarity.toFixed(2))})</span>
      </>
    );
  }
  if (channel === "RECENCY") return <>{text.recency(age(signal.raw))}</>;
  return <>{signal.reason}</>;
}

function Path({ path, names }: { path: NonNullable<Signal["path"]>; names: ReadonlyMap<string, string> }) {
  return (
    <span class="path">
      {path.map((step, place) => (
        <span key={place} class="path">
          {place === 0 && <b>{names.get(step.fromUuid) ?? "…"}</b>}
          <span class="edge">{step.relation}</span>
          <span class="unseen"> → </span>
          <b>{names.get(step.toUuid) ?? "…"}</b>
        </span>
      ))}
    </span>
  );
}

function age(seconds: number): string {
  const { age: text } = words.value;
  if (seconds < 90) return text.seconds(Math.round(seconds));
  if (seconds < 90 * 60) return text.minutes(Math.round(seconds / 60));
  if (seconds < 36 * 3600) return text.hours(Math.round(seconds / 3600));
  return text.days(Math.round(seconds / 86400));
}

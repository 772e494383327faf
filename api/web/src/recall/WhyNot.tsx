import { useEffect, useRef, useState } from "preact/hooks";
import { isFailure, type Failure } from "../connection/failures";
import { ask } from "../connection/request";
import { WhyNot as WhyNotQuestion, type WhyNotQuery } from "../generated/operations";
import { words } from "../language/language";
import { NamePicker } from "../pieces/NamePicker";
import { Answered, Told } from "../pieces/Told";
import { conversation, link, space } from "../place";
import { MatchCard, ruled } from "./MatchCard";

interface Picked {
  uuid: string;
  subject: string;
}

/** "Why not …?" for any entity, picked by name. */
export function WhyNot({ text: asked, names }: { text: string; names: ReadonlyMap<string, string> }) {
  const { recall: text } = words.value;
  const [picked, setPicked] = useState<Picked | null>(null);
  const [answer, setAnswer] = useState<WhyNotQuery["whyNot"] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const told = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer) told.current?.scrollIntoView({ block: "nearest" }); // it stands at the end of the page
  }, [answer]);

  const pick = async (entity: Picked): Promise<void> => {
    setPicked(entity);
    setAnswer(null);
    setFailure(null);
    try {
      const where = { space: space.value, conversation: conversation.value };
      setAnswer((await ask(WhyNotQuestion, { text: asked, entityUuid: entity.uuid, ...where })).whyNot);
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    }
  };

  return (
    <section class="stack">
      <div class="why">
        <h2>{text.whyNot}</h2>
        <NamePicker label={text.whyNotLabel} onPick={(entity) => void pick(entity)} keep />
      </div>
      <div role="status" class="stack" ref={told}>
        {failure && <Told failure={failure} />}
        {answer && answer.__typename !== "WhyNot" && <Answered result={answer} />}
        {picked && answer?.__typename === "WhyNot" && (
          <ul class="matches">
            {answer.match ? (
              <MatchCard
                match={{ ...answer.match, rule: answer.rule, reason: answer.reason }}
                names={new Map([...names, [picked.uuid, picked.subject]])}
                isOpen
                heading={text.whyNotTitle(picked.subject)}
              />
            ) : (
              <li class="card match cut">
                <div class="match-head">
                  <h3>
                    <a href={link(["entity", picked.uuid])}>{text.whyNotTitle(picked.subject)}</a>
                  </h3>
                  <span class="tag">{text.noSignal}</span>
                </div>
                <p class="fine" title={answer.reason}>
                  {ruled(answer.rule, 0, answer.reason)}
                </p>
              </li>
            )}
          </ul>
        )}
      </div>
    </section>
  );
}

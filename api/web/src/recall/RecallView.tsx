import { useEffect, useRef, useState } from "preact/hooks";
import { isFailure, type Failure } from "../connection/failures";
import { ask } from "../connection/request";
import { useAnswer } from "../connection/useAnswer";
import { Project, Recall, Stats, type ProjectMutation, type RecallQuery } from "../generated/operations";
import { words } from "../language/language";
import { Answered, Told } from "../pieces/Told";
import { adjust, conversation, parameters, space } from "../place";
import { Welcome } from "../shell/Welcome";
import { AskForm, type Mode } from "./AskForm";
import { Findings } from "./Findings";
import { Stored } from "./Stored";

export type Recalled = RecallQuery["recall"];
export type Projected = ProjectMutation["projectEntity"];

type Answer = { text: string; mode: "recall"; result: Recalled } | { text: string; mode: "project"; result: Projected };

const LIMIT = 12;

export function RecallView() {
  const { recall: text } = words.value;
  const [input, setInput] = useState(parameters.value.get("q") ?? "");
  const [mode, setMode] = useState<Mode>("recall");
  const [speaker, setSpeaker] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const stats = useAnswer((signal) => ask(Stats, { space: space.value }, signal), [space.value]);

  const send = async (): Promise<void> => {
    const asked = input.trim();
    if (!asked || busy) return;
    const where = { space: space.value, conversation: conversation.value };
    setBusy(true);
    setFailure(null);
    try {
      if (mode === "recall") {
        adjust({ q: asked });
        const { recall } = await ask(Recall, { text: asked, limit: LIMIT, ...where });
        setAnswer({ text: asked, mode, result: recall });
      } else {
        const { projectEntity } = await ask(Project, {
          input: { text: asked, source: "USER_INPUT", ...where, ...(speaker.trim() ? { speaker: speaker.trim() } : {}) },
        });
        setAnswer({ text: asked, mode, result: projectEntity });
        // What was stored is not stored twice by a second Enter.
        if (projectEntity.__typename === "Projection") {
          setInput("");
          setMode("recall");
          stats.again();
        }
      }
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => {
    setAnswer(null);
    if (parameters.value.get("q")) void send();
  }, [space.value]);

  const held = stats.value?.stats;
  const isEmpty = held !== undefined && held.entities + held.activeEntities === 0;
  return (
    <div class="stack">
      <h1 tabIndex={-1}>{text.title}</h1>
      <AskForm
        {...{ input, mode, speaker, busy, field }}
        onInput={setInput}
        onMode={setMode}
        onSpeaker={setSpeaker}
        onSend={() => void send()}
      />
      <div role="status" class="unseen">
        {busy && text.busy}
        {answer?.result.__typename === "Recall" &&
          text.found(answer.result.matches.filter(({ attached }) => attached).length, answer.result.matches.length)}
      </div>
      {failure && <Told failure={failure} again={() => void send()} />}
      {answer && answer.result.__typename !== "Recall" && answer.result.__typename !== "Projection" && <Answered result={answer.result} />}
      {answer?.mode === "project" && answer.result.__typename === "Projection" && <Stored projection={answer.result} />}
      {answer && (answer.result.__typename === "Recall" || answer.result.__typename === "Projection") && (
        <Findings key={answer.text} text={answer.text} found={answer.result} />
      )}
      {!answer && isEmpty && (
        <Welcome
          onLoaded={stats.again}
          onTalk={() => {
            setMode("project");
            field.current?.focus();
          }}
        />
      )}
      {stats.failure && !failure && <Told failure={stats.failure} again={stats.again} />}
    </div>
  );
}

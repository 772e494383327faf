import { useState } from "preact/hooks";
import { type Failure, isFailure } from "../connection/failures";
import { ask } from "../connection/request";
import { Decide as DecideOne, type ObservationPartsFragment, type RunAnswerFragment } from "../generated/operations";
import { when, words } from "../language/language";
import { Beyond } from "../pieces/Because";
import { NamePicker } from "../pieces/NamePicker";
import { Answered, Told } from "../pieces/Told";
import { link, space } from "../place";

/** A postponed observation with its candidates, and the buttons that decide it. */
export function Decide({ observation, onDecided }: { observation: ObservationPartsFragment; onDecided: () => void }) {
  const { runs: text, codes } = words.value;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [answer, setAnswer] = useState<RunAnswerFragment | null>(null);

  const decide = async (choice: { entityUuid: string } | { create: true } | { discard: true }): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const { decideObservation } = await ask(DecideOne, { id: observation.id, space: space.value, ...choice });
      setAnswer(decideObservation);
      if (decideObservation.__typename === "UpdateRun") onDecided();
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <li class="card pending">
      <div class="row apart">
        <div class="row">
          <h3>{observation.subject}</h3>
          {observation.aliases.length > 0 && <span class="fine">{observation.aliases.join(" · ")}</span>}
          <span class="tag writes">{codes.resolutions[observation.code] ?? observation.code}</span>
        </div>
        <span class="fine">
          <a href={link(["runs", observation.runId])}>{when(observation.at)}</a>
        </span>
      </div>
      <Beyond word={codes.resolutions[observation.code]} reason={observation.reason} />
      {observation.statements.length > 0 && (
        <ul class="said">
          {observation.statements.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      <div class="row">
        {observation.candidates.map(({ uuid, subject }) => (
          <button key={uuid} type="button" class="button slim" disabled={busy} onClick={() => void decide({ entityUuid: uuid })}>
            {text.itIs(subject)}
          </button>
        ))}
        <div class="decide-other">
          <NamePicker slim placeholder={text.other} label={text.itIsOther} onPick={({ uuid }) => void decide({ entityUuid: uuid })} />
        </div>
        <button type="button" class="button slim" disabled={busy} onClick={() => void decide({ create: true })}>
          {text.itIsNew}
        </button>
        <button type="button" class="button slim bare" disabled={busy} onClick={() => void decide({ discard: true })}>
          {text.discard}
        </button>
      </div>
      {failure && <Told failure={failure} />}
      {answer && answer.__typename !== "UpdateRun" && <Answered result={answer} />}
    </li>
  );
}

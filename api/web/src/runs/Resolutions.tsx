import type { RunPartsFragment } from "../generated/operations";
import { words } from "../language/language";
import { Because, Beyond } from "../pieces/Because";
import { Cut } from "../pieces/Cut";
import { link } from "../place";

/** Whom each observed subject was found to be, and why. */
export function Resolutions({ resolutions }: Pick<RunPartsFragment, "resolutions">) {
  const { runs: text, codes } = words.value;
  return (
    <section class="stack">
      <h2>{text.resolutions}</h2>
      <div class="scrolled" tabIndex={0} role="region" aria-label={text.resolutions}>
        <table class="resolutions">
          <thead>
            <tr>
              <th scope="col">{text.subject}</th>
              <th scope="col">{text.decision}</th>
              <th scope="col">{text.reason}</th>
            </tr>
          </thead>
          <tbody>
            {resolutions.map(({ subject, decision, entityUuid, code, reason, candidates }, place) => (
              <tr key={place}>
                <td>{entityUuid ? <a href={link(["entity", entityUuid])}>{subject}</a> : subject}</td>
                <td>
                  <span class={`tag ${decision === "POSTPONED" ? "writes" : "good"}`}>{text.decisions[decision] ?? decision}</span>
                </td>
                <td class="fine">
                  <Because word={codes.resolutions[code]} reason={reason} />
                  {candidates
                    .filter((each) => decision === "POSTPONED" || each.subject !== subject)
                    .map((each, at) => (
                      <span key={each.uuid}>
                        {at > 0 ? " · " : " "}
                        <a href={link(["entity", each.uuid])}>{each.subject}</a>
                      </span>
                    ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Cut all={resolutions} most={100} />
    </section>
  );
}

/** What was observed and is not in the plan, each with its reason. */
export function LeftOut({ dropped }: Pick<RunPartsFragment, "dropped">) {
  const { runs: text, codes } = words.value;
  return (
    <details>
      <summary>{text.dropped(dropped.length)}</summary>
      <ul class="dropped">
        {dropped.map(({ code, text: said, reason }, place) => (
          <li key={place}>
            <span class="tag">{codes.dropped[code] ?? code}</span> {said}
            <Beyond word={codes.dropped[code]} reason={reason} />
          </li>
        ))}
      </ul>
      <Cut all={dropped} most={200} />
    </details>
  );
}

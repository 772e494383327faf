/** A number between 0 and 1 as a short line and in figures. */
export function Degree({ value, label }: { value: number; label: string }) {
  return (
    <span class="degree" title={`${label}: ${value.toFixed(2)}`}>
      <span class="degree-line" aria-hidden="true">
        <span style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }} />
      </span>
      <span>
        <span class="unseen">{label}: </span>
        {value.toFixed(2)}
      </span>
    </span>
  );
}

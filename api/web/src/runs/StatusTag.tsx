import type { RunStatus } from "../generated/operations";
import { words } from "../language/language";

const LOOKS: Record<RunStatus, string> = {
  OBSERVING: "accent",
  PARTIAL: "writes",
  PREPARED: "writes",
  CONFIRMED: "accent",
  APPLIED: "good",
  NO_CHANGE: "",
  REJECTED: "",
  UNDONE: "",
  FAILED: "bad",
};

export function StatusTag({ status }: { status: RunStatus }) {
  return <span class={`tag ${LOOKS[status]}`}>{words.value.runs.statuses[status] ?? status}</span>;
}

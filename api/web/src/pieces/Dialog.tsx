import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface Properties {
  title: string;
  broad?: boolean;
  /** Absent: it cannot be closed without an answer. */
  onClose?: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, broad = false, onClose, children }: Properties) {
  const shown = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    shown.current?.showModal();
  }, []);
  return (
    <dialog
      ref={shown}
      class={broad ? "broad" : ""}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div class="dialog-body">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

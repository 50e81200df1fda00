import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * A button that puts a form in the place of `content`. The focus moves into the form, and back to the button when the form is
 * closed.
 */
export function ToggledForm({
  button,
  isPrimary = false,
  isOffered = true,
  content,
  actions,
  children,
}: {
  readonly button: ComponentChildren;
  readonly isPrimary?: boolean;
  /** Without it only `content` is shown. */
  readonly isOffered?: boolean;
  /** The content while the form is closed. */
  readonly content?: ComponentChildren;
  /** Further buttons, next to the one that opens the form. */
  readonly actions?: ComponentChildren;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  const opener = useRef<HTMLButtonElement>(null);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) area.current?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea, select')?.focus();
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!isOffered) return <>{content}</>;
  if (isOpen)
    return (
      <div ref={area} class="toggled-form">
        {children(() => setOpen(false))}
      </div>
    );
  return (
    <>
      {content}
      <div class="actions">
        <button ref={opener} type="button" class={isPrimary ? 'primary' : undefined} onClick={() => setOpen(true)}>
          {button}
        </button>
        {actions}
      </div>
    </>
  );
}

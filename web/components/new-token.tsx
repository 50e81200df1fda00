import type { ComponentChildren } from 'preact';

/** A token that was just created; the server shows it only now. */
export function NewToken({
  label,
  token,
  onClose,
  children,
}: {
  /** The heading: `Token of the runner`. */
  readonly label: string;
  readonly token: string;
  readonly onClose: () => void;
  /** Instructions for its use. */
  readonly children?: ComponentChildren;
}) {
  return (
    <section class="new-token" aria-label={label}>
      <p role="status">
        {label}: <code>{token}</code>
      </p>
      <p class="quiet">Copy it now. It cannot be shown again.</p>
      {children}
      <button type="button" onClick={onClose}>
        I have copied it
      </button>
    </section>
  );
}

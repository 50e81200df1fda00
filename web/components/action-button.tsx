import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PageLocation } from '../page.ts';
import { Dialog } from './dialog.tsx';
import { ActionError, useAction } from './form.tsx';

/** A button that calls the API and then reloads the page. Actions that cannot be undone show a confirmation first. */
export function ActionButton({
  run: write,
  location,
  confirm,
  done,
  isPrimary = false,
  children,
}: {
  readonly run: () => Promise<unknown>;
  readonly location: PageLocation;
  /** The confirmation dialog: a question, an explanation, and the label of the button that confirms. */
  readonly confirm?: { readonly title: string; readonly text: string; readonly label: string };
  /** The message after a success. */
  readonly done?: string;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}) {
  const { isBusy, error, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const start = () => {
    setAsking(false);
    void run(write, done);
  };
  return (
    <>
      <button
        type="button"
        class={isPrimary ? 'primary' : undefined}
        disabled={isBusy}
        onClick={confirm === undefined ? start : () => setAsking(true)}
      >
        {children}
      </button>
      <ActionError error={error} location={location} />
      {isAsking && confirm !== undefined ? (
        <Dialog label={confirm.title} onClose={() => setAsking(false)}>
          <h2>{confirm.title}</h2>
          <p>{confirm.text}</p>
          <p class="form-buttons">
            <button type="button" class="primary" onClick={start}>
              {confirm.label}
            </button>{' '}
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </p>
        </Dialog>
      ) : null}
    </>
  );
}

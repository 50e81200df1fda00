import { useEffect, useState } from 'preact/hooks';
import { type Draft, type DraftKey, readDraft, writeDraft } from './draft-storage.ts';

/**
 * Returns a text that the user edits, and functions that change and discard it. A changed text stays in this tab when the user
 * opens another page, reloads, or must sign in again; other users of the tab do not see it.
 */
export function useDraft(
  { userId, subject }: DraftKey,
  saved: Draft,
): {
  readonly draft: Draft;
  readonly isChanged: boolean;
  readonly isRestored: boolean;
  readonly change: (draft: Draft) => void;
  readonly discard: () => void;
} {
  const [draft, setDraft] = useState(saved);
  const [isRestored, setRestored] = useState(false);
  useEffect(() => {
    const stored = readDraft(sessionStorage, { userId, subject });
    if (stored === null) return;
    setDraft(stored);
    setRestored(true);
  }, [userId, subject]);
  const isChanged = draft.text !== saved.text;
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
  return {
    draft,
    isChanged,
    isRestored,
    change(next) {
      setDraft(next);
      writeDraft(sessionStorage, { userId, subject }, next.text === saved.text ? null : next);
    },
    discard() {
      writeDraft(sessionStorage, { userId, subject }, null);
      setDraft(saved);
      setRestored(false);
    },
  };
}

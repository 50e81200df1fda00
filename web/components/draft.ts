import { useEffect, useState } from 'preact/hooks';

/** A text that the user is editing, and the version of the file that it changes. */
export interface Draft {
  readonly text: string;
  readonly base: string;
}

/**
 * Returns a text that the user edits, and functions that change and discard it. A changed text stays in this tab when the user
 * opens another page, reloads, or must sign in again.
 */
export function useDraft(
  key: string,
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
  const storageKey = `hearth.draft ${key}`;
  useEffect(() => {
    const stored = readDraft(storageKey);
    if (stored === null) return;
    setDraft(stored);
    setRestored(true);
  }, [storageKey]);
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
      writeDraft(storageKey, next.text === saved.text ? null : next);
    },
    discard() {
      writeDraft(storageKey, null);
      setDraft(saved);
      setRestored(false);
    },
  };
}

function readDraft(key: string): Draft | null {
  const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Partial<Draft> | null;
  return typeof stored?.text === 'string' && typeof stored.base === 'string'
    ? { text: stored.text, base: stored.base }
    : null;
}

function writeDraft(key: string, draft: Draft | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // A large text may exceed the space of the tab; it stays on the page.
  }
}

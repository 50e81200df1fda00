/** Texts that users are editing, in the storage of a tab: they stay when a page is left, or a session ends. */

/** A text that the user is editing, and the version of the file that it changes. */
export interface Draft {
  readonly text: string;
  readonly base: string;
}

/** The user who wrote the draft, and the form that it belongs to. */
export interface DraftKey {
  readonly userId: number | null;
  readonly subject: string;
}

const PREFIX = 'hearth.draft ';

const toStorageKey = ({ userId, subject }: DraftKey): string => `${PREFIX}${userId ?? ''} ${subject}`;

export function readDraft(storage: Pick<Storage, 'getItem'>, key: DraftKey): Draft | null {
  const stored = JSON.parse(storage.getItem(toStorageKey(key)) ?? 'null') as Partial<Draft> | null;
  return typeof stored?.text === 'string' && typeof stored.base === 'string'
    ? { text: stored.text, base: stored.base }
    : null;
}

/** Stores a draft; null removes it. */
export function writeDraft(storage: Pick<Storage, 'removeItem' | 'setItem'>, key: DraftKey, draft: Draft | null): void {
  try {
    if (draft === null) storage.removeItem(toStorageKey(key));
    else storage.setItem(toStorageKey(key), JSON.stringify(draft));
  } catch {
    // A large text may exceed the space of the tab; it stays on the page.
  }
}

/** Removes the drafts of all users, or of all others than this one: the next user of the browser must not find them. */
export function removeDrafts(storage: Storage, exceptUserId?: number): void {
  const keys = Array.from(storage, (_value, index) => storage.key(index) ?? '');
  const own = toStorageKey({ userId: exceptUserId ?? null, subject: '' });
  for (const key of keys) {
    if (key.startsWith(PREFIX) && (exceptUserId === undefined || !key.startsWith(own))) storage.removeItem(key);
  }
}

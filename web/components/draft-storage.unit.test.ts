import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDraft, removeDrafts, writeDraft } from './draft-storage.ts';

/** Returns a storage as browsers have it. */
function createStorage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    clear: () => values.clear(),
  };
}

const draft = { text: 'secret', base: 'c1' };
const subject = '7 main README.md';

test('keeps the draft of a user until it is removed', () => {
  const storage = createStorage();
  writeDraft(storage, { userId: 3, subject }, draft);
  assert.deepEqual(readDraft(storage, { userId: 3, subject }), draft);
  writeDraft(storage, { userId: 3, subject }, null);
  assert.equal(readDraft(storage, { userId: 3, subject }), null);
});

test('shows no draft to another user of the same browser', () => {
  const storage = createStorage();
  writeDraft(storage, { userId: 3, subject }, draft);
  assert.equal(readDraft(storage, { userId: 4, subject }), null);
  assert.equal(readDraft(storage, { userId: null, subject }), null);
});

test('removes the drafts of all users at the sign-out, and those of others at the sign-in', () => {
  const storage = createStorage();
  storage.setItem('other', 'x');
  for (const userId of [3, 33]) writeDraft(storage, { userId, subject }, draft);
  removeDrafts(storage, 3);
  assert.deepEqual(readDraft(storage, { userId: 3, subject }), draft);
  assert.equal(readDraft(storage, { userId: 33, subject }), null);
  removeDrafts(storage);
  assert.equal(readDraft(storage, { userId: 3, subject }), null);
  assert.equal(storage.getItem('other'), 'x');
});

test('a full storage loses nothing that the page shows', () => {
  const full: Storage = {
    ...createStorage(),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
  writeDraft(full, { userId: 3, subject }, draft);
});

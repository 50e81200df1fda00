import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areShortcutsOn, createShortcutFinder, type KeyPress, type Shortcut, setShortcutsOn } from './shortcuts.ts';

const shortcuts: readonly Shortcut[] = ['/', 'g h', 'g e'].map((keys) => ({ keys, label: keys, run: () => {} }));

/** Returns the keys of the shortcuts that a sequence of key presses finds. */
function findAll(...presses: readonly Partial<KeyPress>[]): (string | null)[] {
  const find = createShortcutFinder();
  return presses.map(
    (press) => find(shortcuts, { key: '', hasModifier: false, isWriting: false, time: 0, ...press })?.keys ?? null,
  );
}

test('finds one key, and two in sequence', () => {
  assert.deepEqual(findAll({ key: '/' }), ['/']);
  assert.deepEqual(findAll({ key: 'g', time: 10 }, { key: 'h', time: 400 }), [null, 'g h']);
  assert.deepEqual(findAll({ key: 'g', time: 10 }, { key: 'x', time: 20 }, { key: 'h', time: 30 }), [null, null, null]);
  assert.deepEqual(findAll({ key: 'g', time: 10 }, { key: 'h', time: 5000 }), [null, null]);
});

test('keys that people write, or that belong to the browser, are no shortcuts', () => {
  assert.deepEqual(findAll({ key: '/', isWriting: true }), [null]);
  assert.deepEqual(findAll({ key: '/', hasModifier: true }), [null]);
});

test('remembers that a user has switched them off', () => {
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
  assert.equal(areShortcutsOn(storage), true);
  setShortcutsOn(storage, false);
  assert.equal(areShortcutsOn(storage), false);
  setShortcutsOn(storage, true);
  assert.equal(areShortcutsOn(storage), true);
});

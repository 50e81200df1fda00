import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { array, asyncProperty, boolean, constantFrom, assert as hold, integer, oneof, record } from 'fast-check';
import { parseTree, type TreeEntry } from '../objects/object-parser.ts';
import type { LargeTree } from './large-tree.ts';
import { applyTreeChange, createTreeEdit, type TreeChange, type TreeEdit, writeTree } from './tree-edit.ts';

/** Trees in memory, with counters of reads and writes. */
function shelf() {
  const trees = new Map<string, Buffer>();
  const counts = { loaded: 0, stored: 0 };
  return {
    counts,
    load: async (id: string): Promise<TreeEntry[]> => {
      counts.loaded += 1;
      return parseTree(trees.get(id)!);
    },
    /** Wraps a tree as one that is too large to be parsed. */
    loadLarge: async (id: string): Promise<LargeTree> => ({
      findEntry: async (name) => parseTree(trees.get(id)!).find((entry) => entry.name === name) ?? null,
      content: async () => trees.get(id)!,
    }),
    store: async (bytes: Buffer): Promise<string> => {
      counts.stored += 1;
      const id = createHash('sha1').update(`tree ${bytes.length}\0`).update(bytes).digest('hex');
      trees.set(id, bytes);
      return id;
    },
  };
}

type Shelf = ReturnType<typeof shelf>;

async function list(trees: Shelf, id: string, prefix = ''): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await trees.load(id)) {
    const path = prefix + entry.name;
    if (entry.type !== 'tree') found.set(path, `${entry.mode} ${entry.id}`);
    else {
      const inside = await list(trees, entry.id, `${path}/`);
      assert.ok(inside.size > 0, `${path} is an empty directory`);
      for (const [name, leaf] of inside) found.set(name, leaf);
    }
  }
  return found;
}

const ids = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
const path = array(constantFrom('a', 'b', 'a.', 'a0'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const id = constantFrom(...ids);
const mode = constantFrom('100644', '100755');
const anyChange = oneof(
  record({ action: constantFrom('create' as const), path, id, mode }),
  record({ action: constantFrom('update' as const), path, id }),
  record({ action: constantFrom('delete' as const), path }),
  record({ action: constantFrom('move' as const), path, from: path }),
  record({ action: constantFrom('chmod' as const), path, mode }),
);

/** The same rules for a plain map of files. Null: the change is applied. */
function applyToModel(files: Map<string, string>, change: TreeChange): string | null {
  const isDirectory = (at: string) => [...files.keys()].some((file) => file.startsWith(`${at}/`));
  const make = (at: string, leaf: string): string | null => {
    const parts = at.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      if (files.has(parts.slice(0, depth).join('/'))) return 'parent-is-file';
    }
    if (files.has(at)) return 'exists';
    if (isDirectory(at)) return 'is-directory';
    files.set(at, leaf);
    return null;
  };
  if (change.action === 'create') return make(change.path, `${change.mode} ${change.id}`);
  const source = change.action === 'move' ? change.from : change.path;
  const leaf = files.get(source);
  if (leaf === undefined) return isDirectory(source) ? 'is-directory' : 'missing';
  const [oldMode, oldId] = leaf.split(' ');
  if (change.action === 'update') files.set(source, `${oldMode} ${change.id}`);
  else if (change.action === 'chmod') files.set(source, `${change.mode} ${oldId}`);
  else {
    files.delete(source);
    if (change.action === 'move') return make(change.path, leaf);
  }
  return null;
}

test('any sequence of changes gives the same tree as a map of files', async () => {
  const sequences = array(anyChange, { maxLength: 25 });
  await hold(
    asyncProperty(sequences, integer({ min: 1, max: 25 }), boolean(), async (changes, every, large) => {
      const trees = shelf();
      const model = new Map<string, string>();
      let edit: TreeEdit = createTreeEdit(null);
      const load = (id: string) => (large && id === edit.sourceId ? trees.loadLarge(id) : trees.load(id));
      for (const [index, change] of changes.entries()) {
        // A failed move invalidates its edit, so only successful moves are applied.
        const before = new Map(model);
        const expected = applyToModel(model, change);
        if (expected !== null && change.action === 'move') {
          model.clear();
          for (const [name, leaf] of before) model.set(name, leaf);
          continue;
        }
        const conflict = await applyTreeChange(edit, change, load);
        assert.equal(conflict?.rejected ?? null, expected);
        if (index % every === 0) edit = createTreeEdit(await writeTree(edit, trees.store));
      }
      const written = await list(trees, await writeTree(edit, trees.store));
      assert.deepEqual(new Map([...written].sort()), new Map([...model].sort()));
    }),
    { numRuns: 300 },
  );
});

test('a change reads and writes only the trees along its path', async () => {
  const trees = shelf();
  const edit = createTreeEdit(null);
  for (let number = 0; number < 400; number += 1) {
    const name = `d${number % 20}/e${number % 7}/f${number}`;
    assert.equal(await applyTreeChange(edit, { action: 'create', path: name, id: ids[0]! }, trees.load), null);
  }
  const root = await writeTree(edit, trees.store);
  Object.assign(trees.counts, { loaded: 0, stored: 0 });
  const next = createTreeEdit(root);
  const change: TreeChange = { action: 'update', path: 'd3/e3/f3', id: ids[1]! };
  assert.equal(await applyTreeChange(next, change, trees.load), null);
  assert.notEqual(await writeTree(next, trees.store), root);
  assert.deepEqual(trees.counts, { loaded: 3, stored: 3 });
});

test('a change without effect returns the same tree and stores none', async () => {
  const trees = shelf();
  const edit = createTreeEdit(null);
  await applyTreeChange(edit, { action: 'create', path: 'a/b', id: ids[0]! }, trees.load);
  const root = await writeTree(edit, trees.store);
  const stored = trees.counts.stored;
  const next = createTreeEdit(root);
  await applyTreeChange(next, { action: 'update', path: 'a/b', id: ids[0]! }, trees.load);
  await applyTreeChange(next, { action: 'chmod', path: 'a/b', mode: '100644' }, trees.load);
  assert.equal(await writeTree(next, trees.store), root);
  assert.equal(trees.counts.stored, stored);
});

test('rejects paths over 4096 bytes', async () => {
  const trees = shelf();
  const edit = createTreeEdit(null);
  const [longest, longer] = [`${'a/'.repeat(2047)}bc`, `${'a/'.repeat(2047)}bcd`];
  assert.equal(await applyTreeChange(edit, { action: 'create', path: longest, id: ids[0]! }, trees.load), null);
  assert.equal(trees.counts.stored + (await writeTree(edit, trees.store)).length, 40);
  assert.equal(trees.counts.stored, 2048);
  const conflict = await applyTreeChange(edit, { action: 'create', path: longer, id: ids[0]! }, trees.load);
  assert.equal(conflict?.rejected, 'invalid-path');
});

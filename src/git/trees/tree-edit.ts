import type { TreeEntry } from '../objects/object-parser.ts';
import { encodeName } from '../ref-names.ts';
import { type LargeTree, replaceEntries, sortKey } from './large-tree.ts';
import { isStorable } from './reserved-names.ts';

/**
 * One change of a tree. Content is named by the id of its blob, which need not exist before the edit is written.
 * Modes: `100644`, `100755`, `120000` (symbolic link), `160000` (submodule).
 */
export type TreeChange =
  /** A new file: `exists` when the path is taken by a file. */
  | { readonly action: 'create'; readonly path: string; readonly id: string; readonly mode?: string }
  /** New content; without `mode` the file keeps its own. */
  | { readonly action: 'update'; readonly path: string; readonly id: string; readonly mode?: string }
  | { readonly action: 'delete'; readonly path: string }
  /** Without `id` the content moves along. */
  | {
      readonly action: 'move';
      readonly path: string;
      readonly from: string;
      readonly id?: string;
      readonly mode?: string;
    }
  | { readonly action: 'chmod'; readonly path: string; readonly mode: string };

/** Why a change cannot be made; `path` is the one at fault. */
export interface TreeConflict {
  readonly refused: 'exists' | 'missing' | 'is-directory' | 'parent-is-file' | 'invalid-path';
  readonly path: string;
}

/** Gives the entries of a tree that is stored, or of one that has very many what the change needs. */
type LoadTree = (id: string) => Promise<readonly TreeEntry[] | LargeTree>;
/** Stores the bytes of a tree object and gives its id. */
type StoreTree = (content: Buffer) => Promise<string>;

/**
 * A tree being edited: data in memory over stored trees that are loaded where a change leads and nowhere else, so an
 * edit costs as many trees as its paths are deep. Nothing is stored before `writeTree`.
 */
export interface TreeEdit {
  /** The stored tree that this was; null: a new directory. */
  readonly source: string | null;
  /** Null until somebody looks inside. Of a large tree those that were looked for: `GONE` where there is none. */
  entries: Map<string, Entry | typeof GONE> | null;
  large: LargeTree | null;
  changed: boolean;
}

const GONE = null;

type Entry = Leaf | TreeEdit;

interface Leaf {
  readonly mode: string;
  readonly id: string;
}

/** Begins with a stored tree, or with nothing. */
export function editTree(id: string | null): TreeEdit {
  return { source: id, entries: id === null ? new Map() : null, large: null, changed: false };
}

/**
 * Makes one change, on top of those made before. Null: it is made. A conflict leaves the edit as it was, except that a
 * move that fails half-way has to be thrown away with its edit.
 */
export async function applyChange(edit: TreeEdit, change: TreeChange, load: LoadTree): Promise<TreeConflict | null> {
  const path = segmentsOf(change.path);
  if (path === null) return { refused: 'invalid-path', path: change.path };
  switch (change.action) {
    case 'create':
      return create(edit, path, { mode: change.mode ?? '100644', id: change.id }, load);
    case 'update':
      return replace(edit, path, (leaf) => ({ mode: change.mode ?? leaf.mode, id: change.id }), load);
    case 'chmod':
      return replace(edit, path, (leaf) => ({ mode: change.mode, id: leaf.id }), load);
    case 'delete':
      return (await take(edit, path, load)).conflict;
    case 'move': {
      const from = segmentsOf(change.from);
      if (from === null) return { refused: 'invalid-path', path: change.from };
      const taken = await take(edit, from, load);
      if (taken.conflict !== null) return taken.conflict;
      const { leaf } = taken;
      if (isSubmodule(leaf) && (change.id !== undefined || change.mode !== undefined)) {
        return { refused: 'is-directory', path: change.from };
      }
      return create(edit, path, { mode: change.mode ?? leaf.mode, id: change.id ?? leaf.id }, load);
    }
  }
}

/** In bytes (contract/conventions.md §3 "Limits of texts"): what more would be neither checked out nor asked for. */
const LONGEST_PATH = 4096;

/** The parts of a path that git can store (`reserved-names.ts`); null for one that is longer, or has a part that it can't. */
function segmentsOf(path: string): string[] | null {
  if (path.length > LONGEST_PATH || Buffer.byteLength(path) > LONGEST_PATH) return null;
  const segments = path.split('/');
  return segments.every(isStorable) ? segments : null;
}

/** Stores the trees that differ from what they were, the innermost first; gives the id of the whole. */
export async function writeTree(edit: TreeEdit, store: StoreTree): Promise<string> {
  if (!edit.changed && edit.source !== null) return edit.source;
  return store(await contentOf(edit, store));
}

/** The bytes of a changed tree, those below it stored. */
async function contentOf(edit: TreeEdit, store: StoreTree): Promise<Buffer> {
  const entries: TreeEntry[] = [];
  const gone: string[] = [];
  for (const [name, entry] of edit.entries ?? []) {
    if (entry === GONE) gone.push(name);
    else if (!isDirectory(entry)) entries.push({ ...entry, type: entry.mode === '160000' ? 'commit' : 'blob', name });
    else if (!entry.changed && entry.source !== null) entries.push(directoryEntry(entry.source, name));
    else {
      const content = await contentOf(entry, store);
      // git stores no empty directory; a large one tells only now that it is.
      if (content.length === 0) gone.push(name);
      else entries.push(directoryEntry(await store(content), name));
    }
  }
  if (edit.large === null) return formatTree(sortEntries(entries));
  return replaceEntries(
    await edit.large.content(),
    [...gone, ...entries.map(({ name }) => name)],
    sortEntries(entries),
  );
}

function directoryEntry(id: string, name: string): TreeEntry {
  return { mode: '040000', type: 'tree', id, name };
}

/** The bytes of a tree object; the entries are sorted. */
export function formatTree(entries: readonly TreeEntry[]): Buffer {
  const names = entries.map(({ name }) => encodeName(name));
  const content = Buffer.alloc(names.reduce((size, name) => size + LONGEST_MODE + name.length + 22, 0));
  let at = 0;
  for (const [index, { mode, id }] of entries.entries()) {
    at += content.write(mode.startsWith('0') ? `${mode.slice(1)} ` : `${mode} `, at, 'latin1');
    at += names[index]!.copy(content, at) + 1;
    at += content.write(id, at, 'hex');
  }
  return content.subarray(0, at);
}

const LONGEST_MODE = 6;

function sortEntries(entries: readonly TreeEntry[]): TreeEntry[] {
  const keyed = entries.map((entry) => ({ entry, key: sortKey(encodeName(entry.name), entry.type === 'tree') }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}

/** It names a commit of another repository: a directory to everybody who looks at it, and no place for a blob. */
function isSubmodule(leaf: Leaf): boolean {
  return leaf.mode === '160000';
}

function isDirectory(entry: Entry): entry is TreeEdit {
  return 'changed' in entry;
}

async function entriesOf(directory: TreeEdit, load: LoadTree): Promise<Map<string, Entry | typeof GONE>> {
  if (directory.entries !== null) return directory.entries;
  const stored = await load(directory.source!);
  const entries = new Map<string, Entry | typeof GONE>();
  if ('content' in stored) directory.large = stored;
  else for (const entry of stored) entries.set(entry.name, fromStored(entry));
  directory.entries = entries;
  return entries;
}

function fromStored({ mode, type, id }: TreeEntry): Entry {
  return type === 'tree' ? editTree(id) : { mode, id };
}

async function entryOf(directory: TreeEdit, name: string, load: LoadTree): Promise<Entry | undefined> {
  const entries = await entriesOf(directory, load);
  const known = entries.get(name);
  if (known !== undefined || directory.large === null) return known ?? undefined;
  const stored = await directory.large.entry(name);
  if (stored === null) return undefined;
  const entry = fromStored(stored);
  entries.set(name, entry);
  return entry;
}

function remove(directory: TreeEdit, name: string): void {
  if (directory.large === null) directory.entries!.delete(name);
  else directory.entries!.set(name, GONE);
}

/** Whether nothing is left in it; of a large one that is seen when it is written. */
function isEmpty(directory: TreeEdit): boolean {
  return directory.large === null && directory.entries!.size === 0;
}

/** The directories from the root to the one that holds the last segment; fewer when the way ends earlier. */
interface Way {
  readonly directories: TreeEdit[];
  readonly conflict: TreeConflict | null;
}

async function walk(edit: TreeEdit, path: readonly string[], load: LoadTree): Promise<Way> {
  const directories = [edit];
  for (const segment of path.slice(0, -1)) {
    const entry = await entryOf(directories.at(-1)!, segment, load);
    if (entry === undefined) break;
    if (!isDirectory(entry)) {
      const file = path.slice(0, directories.length).join('/');
      return { directories, conflict: { refused: 'parent-is-file', path: file } };
    }
    directories.push(entry);
  }
  return { directories, conflict: null };
}

async function create(
  edit: TreeEdit,
  path: readonly string[],
  leaf: Leaf,
  load: LoadTree,
): Promise<TreeConflict | null> {
  const { directories, conflict } = await walk(edit, path, load);
  if (conflict !== null) return conflict;
  const last = directories.length === path.length ? directories.at(-1)! : null;
  const taken = last === null ? undefined : await entryOf(last, path.at(-1)!, load);
  if (taken !== undefined) {
    return { refused: isDirectory(taken) ? 'is-directory' : 'exists', path: path.join('/') };
  }
  for (const segment of path.slice(directories.length - 1, -1)) {
    const made = editTree(null);
    (await entriesOf(directories.at(-1)!, load)).set(segment, made);
    directories.push(made);
  }
  (await entriesOf(directories.at(-1)!, load)).set(path.at(-1)!, leaf);
  for (const directory of directories) directory.changed = true;
  return null;
}

async function find(
  edit: TreeEdit,
  path: readonly string[],
  load: LoadTree,
): Promise<{ conflict: TreeConflict } | { conflict: null; leaf: Leaf; directories: TreeEdit[] }> {
  const { directories, conflict } = await walk(edit, path, load);
  const whole = path.join('/');
  if (conflict !== null || directories.length < path.length) return { conflict: { refused: 'missing', path: whole } };
  const entry = await entryOf(directories.at(-1)!, path.at(-1)!, load);
  if (entry === undefined) return { conflict: { refused: 'missing', path: whole } };
  if (isDirectory(entry)) return { conflict: { refused: 'is-directory', path: whole } };
  return { conflict: null, leaf: entry, directories };
}

async function replace(
  edit: TreeEdit,
  path: readonly string[],
  change: (leaf: Leaf) => Leaf,
  load: LoadTree,
): Promise<TreeConflict | null> {
  const found = await find(edit, path, load);
  if (found.conflict !== null) return found.conflict;
  if (isSubmodule(found.leaf)) return { refused: 'is-directory', path: path.join('/') };
  const leaf = change(found.leaf);
  if (leaf.id === found.leaf.id && leaf.mode === found.leaf.mode) return null;
  found.directories.at(-1)!.entries!.set(path.at(-1)!, leaf);
  for (const directory of found.directories) directory.changed = true;
  return null;
}

/** Takes a file out, and with it each directory that it leaves empty: git stores none. */
async function take(
  edit: TreeEdit,
  path: readonly string[],
  load: LoadTree,
): Promise<{ conflict: TreeConflict } | { conflict: null; leaf: Leaf }> {
  const found = await find(edit, path, load);
  if (found.conflict !== null) return found;
  const { directories, leaf } = found;
  for (const directory of directories) directory.changed = true;
  remove(directories.at(-1)!, path.at(-1)!);
  for (let depth = directories.length - 1; depth > 0 && isEmpty(directories[depth]!); depth -= 1) {
    remove(directories[depth - 1]!, path[depth - 1]!);
  }
  return { conflict: null, leaf };
}

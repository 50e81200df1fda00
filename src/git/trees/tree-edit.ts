import type { TreeEntry } from '../objects/object-parser.ts';
import { encodeName } from '../ref-names.ts';
import { type LargeTree, replaceEntries, toSortKey } from './large-tree.ts';
import { isStorableName } from './reserved-names.ts';

/**
 * One change of a tree. `id` is the blob with the content, which need not exist before the edit is written. Modes:
 * `100644`, `100755`, `120000` (symbolic link), `160000` (submodule).
 */
export type TreeChange =
  /** Creates a file. Fails with `exists` if the path is a file. */
  | { readonly action: 'create'; readonly path: string; readonly id: string; readonly mode?: string }
  /** Replaces the content. Without `mode` the file keeps its mode. */
  | { readonly action: 'update'; readonly path: string; readonly id: string; readonly mode?: string }
  | { readonly action: 'delete'; readonly path: string }
  /** Moves the file at `from` to `path`. Without `id` the file keeps its content. */
  | {
      readonly action: 'move';
      readonly path: string;
      readonly from: string;
      readonly id?: string;
      readonly mode?: string;
    }
  | { readonly action: 'chmod'; readonly path: string; readonly mode: string };

/** Why a change fails; `path` is the cause. */
export interface TreeConflict {
  readonly rejected: 'exists' | 'missing' | 'is-directory' | 'parent-is-file' | 'invalid-path';
  readonly path: string;
}

/** Loads the entries of a stored tree; a very large tree is loaded on demand. */
type LoadTree = (id: string) => Promise<readonly TreeEntry[] | LargeTree>;
/** Stores a tree object and returns its id. */
type StoreTree = (content: Buffer) => Promise<string>;

/** A tree being edited in memory. Only trees along changed paths are loaded. Nothing is stored before `writeTree`. */
export interface TreeEdit {
  /** The stored tree; null for a new directory. */
  readonly sourceId: string | null;
  /** Entries by name; null until loaded. For a large tree only requested entries; `REMOVED` for deleted ones. */
  entries: Map<string, Entry | typeof REMOVED> | null;
  largeTree: LargeTree | null;
  changed: boolean;
}

const REMOVED = null;

type Entry = Leaf | TreeEdit;

interface Leaf {
  readonly mode: string;
  readonly id: string;
}

/** Starts an edit of a stored tree, or of an empty one. */
export function createTreeEdit(id: string | null): TreeEdit {
  return { sourceId: id, entries: id === null ? new Map() : null, largeTree: null, changed: false };
}

/**
 * Applies one change. Returns null, or a conflict, which leaves the edit unchanged. After a failed move the edit must
 * be discarded.
 */
export async function applyTreeChange(
  edit: TreeEdit,
  change: TreeChange,
  load: LoadTree,
): Promise<TreeConflict | null> {
  const path = splitPath(change.path);
  if (path === null) return { rejected: 'invalid-path', path: change.path };
  switch (change.action) {
    case 'create':
      return createFile(edit, path, { mode: change.mode ?? '100644', id: change.id }, load);
    case 'update':
      return updateFile(edit, path, (leaf) => ({ mode: change.mode ?? leaf.mode, id: change.id }), load);
    case 'chmod':
      return updateFile(edit, path, (leaf) => ({ mode: change.mode, id: leaf.id }), load);
    case 'delete':
      return (await removeFile(edit, path, load)).conflict;
    case 'move': {
      const sourcePath = splitPath(change.from);
      if (sourcePath === null) return { rejected: 'invalid-path', path: change.from };
      const removed = await removeFile(edit, sourcePath, load);
      if (removed.conflict !== null) return removed.conflict;
      const { leaf } = removed;
      if (isSubmodule(leaf) && (change.id !== undefined || change.mode !== undefined))
        return { rejected: 'is-directory', path: change.from };
      return createFile(edit, path, { mode: change.mode ?? leaf.mode, id: change.id ?? leaf.id }, load);
    }
  }
}

/**
 * Maximum length of a path in bytes (contract/conventions.md §3 "Limits of texts"). Longer paths could be neither
 * checked out nor requested.
 */
const MAX_PATH_BYTES = 4096;

/**
 * Returns the segments of a path, or null if it is too long or contains a segment that git cannot store
 * (`reserved-names.ts`).
 */
function splitPath(path: string): string[] | null {
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES) return null;
  const segments = path.split('/');
  return segments.every(isStorableName) ? segments : null;
}

/** Stores the changed trees, innermost first, and returns the id of the root. */
export async function writeTree(edit: TreeEdit, store: StoreTree): Promise<string> {
  if (!edit.changed && edit.sourceId !== null) return edit.sourceId;
  return store(await formatEditedTree(edit, store));
}

/** Returns the bytes of a changed tree; stores its subtrees. */
async function formatEditedTree(edit: TreeEdit, store: StoreTree): Promise<Buffer> {
  const entries: TreeEntry[] = [];
  const emptyNames: string[] = [];
  for (const [name, entry] of edit.entries ?? []) {
    if (entry === REMOVED) emptyNames.push(name);
    else if (!isDirectory(entry)) entries.push({ ...entry, type: entry.mode === '160000' ? 'commit' : 'blob', name });
    else if (!entry.changed && entry.sourceId !== null) entries.push(createDirectoryEntry(entry.sourceId, name));
    else {
      const content = await formatEditedTree(entry, store);
      // git stores no empty directory. Whether a large directory is empty is known only now.
      if (content.length === 0) emptyNames.push(name);
      else entries.push(createDirectoryEntry(await store(content), name));
    }
  }
  if (edit.largeTree === null) return formatTree(sortEntries(entries));
  return replaceEntries(
    await edit.largeTree.content(),
    [...emptyNames, ...entries.map(({ name }) => name)],
    sortEntries(entries),
  );
}

function createDirectoryEntry(id: string, name: string): TreeEntry {
  return { mode: '040000', type: 'tree', id, name };
}

/** Returns the bytes of a tree object; the entries must be sorted. */
export function formatTree(entries: readonly TreeEntry[]): Buffer {
  const names = entries.map(({ name }) => encodeName(name));
  // In addition to mode and name, an entry has a space, a NUL and 20 bytes of its id.
  const content = Buffer.alloc(names.reduce((size, name) => size + MODE_LENGTH + name.length + 22, 0));
  let offset = 0;
  for (const [index, { mode, id }] of entries.entries()) {
    offset += content.write(mode.startsWith('0') ? `${mode.slice(1)} ` : `${mode} `, offset, 'latin1');
    offset += names[index]!.copy(content, offset) + 1;
    offset += content.write(id, offset, 'hex');
  }
  return content.subarray(0, offset);
}

const MODE_LENGTH = 6;

function sortEntries(entries: readonly TreeEntry[]): TreeEntry[] {
  const entriesWithKeys = entries.map((entry) => ({
    entry,
    key: toSortKey(encodeName(entry.name), entry.type === 'tree'),
  }));
  return entriesWithKeys.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ entry }) => entry);
}

/** A submodule is a commit of another repository. It counts as a directory and cannot hold a blob. */
function isSubmodule(leaf: Leaf): boolean {
  return leaf.mode === '160000';
}

function isDirectory(entry: Entry): entry is TreeEdit {
  return 'changed' in entry;
}

async function loadEntries(directory: TreeEdit, load: LoadTree): Promise<Map<string, Entry | typeof REMOVED>> {
  if (directory.entries !== null) return directory.entries;
  const stored = await load(directory.sourceId!);
  const entries = new Map<string, Entry | typeof REMOVED>();
  if ('content' in stored) directory.largeTree = stored;
  else for (const entry of stored) entries.set(entry.name, toEntry(entry));
  directory.entries = entries;
  return entries;
}

function toEntry({ mode, type, id }: TreeEntry): Entry {
  return type === 'tree' ? createTreeEdit(id) : { mode, id };
}

async function findEntry(directory: TreeEdit, name: string, load: LoadTree): Promise<Entry | undefined> {
  const entries = await loadEntries(directory, load);
  const loaded = entries.get(name);
  // `REMOVED` is null, so a deleted entry counts as absent.
  if (loaded !== undefined || directory.largeTree === null) return loaded ?? undefined;
  const stored = await directory.largeTree.findEntry(name);
  if (stored === null) return undefined;
  const entry = toEntry(stored);
  entries.set(name, entry);
  return entry;
}

function removeEntry(directory: TreeEdit, name: string): void {
  if (directory.largeTree === null) directory.entries!.delete(name);
  else directory.entries!.set(name, REMOVED);
}

/** Returns whether a directory is empty; always false for a large one, which is checked when it is written. */
function isEmpty(directory: TreeEdit): boolean {
  return directory.largeTree === null && directory.entries!.size === 0;
}

/** The directories from the root to the parent of the last segment; fewer if some are missing. */
interface DirectoryWalk {
  readonly directories: TreeEdit[];
  readonly conflict: TreeConflict | null;
}

async function walkDirectories(edit: TreeEdit, path: readonly string[], load: LoadTree): Promise<DirectoryWalk> {
  const directories = [edit];
  for (const segment of path.slice(0, -1)) {
    const entry = await findEntry(directories.at(-1)!, segment, load);
    if (entry === undefined) break;
    if (!isDirectory(entry)) {
      const file = path.slice(0, directories.length).join('/');
      return { directories, conflict: { rejected: 'parent-is-file', path: file } };
    }
    directories.push(entry);
  }
  return { directories, conflict: null };
}

async function createFile(
  edit: TreeEdit,
  path: readonly string[],
  leaf: Leaf,
  load: LoadTree,
): Promise<TreeConflict | null> {
  const { directories, conflict } = await walkDirectories(edit, path, load);
  if (conflict !== null) return conflict;
  const parent = directories.length === path.length ? directories.at(-1)! : null;
  const existing = parent === null ? undefined : await findEntry(parent, path.at(-1)!, load);
  if (existing !== undefined)
    return { rejected: isDirectory(existing) ? 'is-directory' : 'exists', path: path.join('/') };
  for (const segment of path.slice(directories.length - 1, -1)) {
    const subtree = createTreeEdit(null);
    (await loadEntries(directories.at(-1)!, load)).set(segment, subtree);
    directories.push(subtree);
  }
  (await loadEntries(directories.at(-1)!, load)).set(path.at(-1)!, leaf);
  for (const directory of directories) directory.changed = true;
  return null;
}

async function findFile(
  edit: TreeEdit,
  path: readonly string[],
  load: LoadTree,
): Promise<{ conflict: TreeConflict } | { conflict: null; leaf: Leaf; directories: TreeEdit[] }> {
  const { directories, conflict } = await walkDirectories(edit, path, load);
  const filePath = path.join('/');
  if (conflict !== null || directories.length < path.length)
    return { conflict: { rejected: 'missing', path: filePath } };
  const entry = await findEntry(directories.at(-1)!, path.at(-1)!, load);
  if (entry === undefined) return { conflict: { rejected: 'missing', path: filePath } };
  if (isDirectory(entry)) return { conflict: { rejected: 'is-directory', path: filePath } };
  return { conflict: null, leaf: entry, directories };
}

async function updateFile(
  edit: TreeEdit,
  path: readonly string[],
  toUpdated: (leaf: Leaf) => Leaf,
  load: LoadTree,
): Promise<TreeConflict | null> {
  const file = await findFile(edit, path, load);
  if (file.conflict !== null) return file.conflict;
  if (isSubmodule(file.leaf)) return { rejected: 'is-directory', path: path.join('/') };
  const leaf = toUpdated(file.leaf);
  if (leaf.id === file.leaf.id && leaf.mode === file.leaf.mode) return null;
  file.directories.at(-1)!.entries!.set(path.at(-1)!, leaf);
  for (const directory of file.directories) directory.changed = true;
  return null;
}

/** Removes a file and each directory that becomes empty: git stores no empty directory. */
async function removeFile(
  edit: TreeEdit,
  path: readonly string[],
  load: LoadTree,
): Promise<{ conflict: TreeConflict } | { conflict: null; leaf: Leaf }> {
  const file = await findFile(edit, path, load);
  if (file.conflict !== null) return file;
  const { directories, leaf } = file;
  for (const directory of directories) directory.changed = true;
  removeEntry(directories.at(-1)!, path.at(-1)!);
  for (let depth = directories.length - 1; depth > 0 && isEmpty(directories[depth]!); depth -= 1)
    removeEntry(directories[depth - 1]!, path[depth - 1]!);
  return { conflict: null, leaf };
}

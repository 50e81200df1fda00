import { LRUCache } from 'lru-cache';
import { definePerGit, type Git } from '../git.ts';
import { toCanonicalMode } from '../objects/object-parser.ts';
import { getObjectInfo, MAX_PARSED_TREE, readTree, type TreeEntry } from '../objects/object-reader.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import { spawnGit } from '../process/spawn.ts';
import { decodeName } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from './path-entries.ts';

/** An entry of a list; `path` is relative to the listed tree. See `ref-names.ts` for paths that are not UTF-8. */
export interface TreeListEntry {
  readonly mode: string;
  readonly type: TreeEntry['type'];
  readonly id: string;
  readonly path: string;
}

/** The entries of a tree: folders, files, submodules, each in git's order. */
export interface TreeList {
  readonly length: number;
  /** False if the tree has more entries, which were not requested or exceed the limit of 64 MiB. */
  readonly isComplete: boolean;
  slice(start: number, end: number): TreeListEntry[];
  /** Returns the id of the entry at an index; empty if there is none. */
  getIdAt(index: number): string;
  /** Returns the positions of the first and the last entry with this id (equal files share an id); null if there is none. */
  findId(id: string): { readonly first: number; readonly last: number } | null;
}

/** Part of a list that the caller needs. */
interface RequestedEntries {
  /** Entries from the start; Infinity for all. */
  readonly maxEntries: number;
  /** Number up to which the caller needs the count of entries; Infinity for all. */
  readonly maxCounted: number;
}

interface ListTreeOptions {
  /** Whether to list the entries of subdirectories too. */
  readonly isRecursive?: boolean;
  readonly requestedEntries?: RequestedEntries;
}

const ALL_ENTRIES: RequestedEntries = { maxEntries: Number.POSITIVE_INFINITY, maxCounted: Number.POSITIVE_INFINITY };

/** Maximum size of one list in git's format; about 600,000 entries. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/**
 * Lists the entries directly in a tree, or recursively with `isRecursive`. Null if there is no such tree. Stops reading when
 * it has the requested entries, so that the first page costs the same for any tree.
 */
export async function listTree(
  git: Git,
  repository: Repository,
  treeId: string,
  { isRecursive = false, requestedEntries = ALL_ENTRIES }: ListTreeOptions = {},
): Promise<TreeList | null> {
  if (!isRecursive) {
    const smallTree = await readTree(git, repository, treeId, MAX_PARSED_TREE);
    if (smallTree !== null) return createShallowList(smallTree.entries);
  }
  const info = await getObjectInfo(git, repository, treeId);
  return info?.type === 'tree' || isRecursive
    ? loadStreamedList(git, repository, treeId, isRecursive, requestedEntries)
    : null;
}

/** Returns the names of the files directly in a tree that match, in git's order. */
export async function listFileNames(
  git: Git,
  repository: Repository,
  treeId: string,
  pattern: RegExp,
): Promise<string[]> {
  const smallTree = await readTree(git, repository, treeId, MAX_PARSED_TREE);
  if (smallTree !== null)
    return smallTree.entries.filter(({ type, name }) => type === 'blob' && pattern.test(name)).map(({ name }) => name);
  const names: string[] = [];
  const exit = await forEachLine(git, repository, 'ls-tree', { flags: ['--full-tree'], args: [treeId] }, {}, (line) => {
    // Only blobs: their type begins with `b`.
    if (line[TYPE_OFFSET] !== 0x62) return;
    const name = line.toString('utf8', line.indexOf(TAB) + 1);
    if (pattern.test(name)) names.push(name);
  });
  if (!exit.ok) throw new GitError('ls-tree', exit.failure);
  return names;
}

const TAB = 0x09;

function createShallowList(treeEntries: readonly TreeEntry[]): TreeList {
  const filterByType = (type: TreeEntry['type']) => treeEntries.filter((entry) => entry.type === type);
  const entries = [...filterByType('tree'), ...filterByType('blob'), ...filterByType('commit')];
  return {
    length: entries.length,
    isComplete: true,
    slice: (start, end) => entries.slice(start, end).map(({ name, ...entry }) => ({ ...entry, path: name })),
    getIdAt: (index) => entries[index]?.id ?? '',
    findId: (id) => toRange(entries, (entry) => entry.id === id),
  };
}

interface StreamedList extends TreeList {
  readonly bytes: number;
  /** Returns whether the list holds the requested entries; unread entries would come after them. */
  satisfies(requested: RequestedEntries): boolean;
}

/** Cache of lists in git's format, the smallest form that can be paged. */
const treeListCache = definePerGit(
  (git) =>
    new LRUCache<string, StreamedList>({
      maxSize: 3 * git.limits.cacheBytes,
      sizeCalculation: (list) => list.bytes,
    }),
);

/** Loads the list of a tree through `ls-tree`. Cached by the id of the tree, unless the list is too large for the cache. */
async function loadStreamedList(
  git: Git,
  repository: Repository,
  treeId: string,
  isRecursive: boolean,
  requested: RequestedEntries,
): Promise<StreamedList> {
  const key = `${repository.directory} ${isRecursive ? 'recursive ' : ''}${treeId}`;
  const cached = treeListCache(git).get(key);
  if (cached?.satisfies(requested)) return cached;
  return coalesce(git, `tree ${requested.maxEntries} ${requested.maxCounted} ${key}`, async (sharedGit) => {
    const list = await historyWalkLimiter(git).run(
      () => readList(sharedGit, repository, treeId, isRecursive, requested),
      sharedGit,
    );
    treeListCache(git).set(key, list);
    return list;
  });
}

async function readList(
  git: Git,
  repository: Repository,
  treeId: string,
  isRecursive: boolean,
  requested: RequestedEntries,
): Promise<StreamedList> {
  const flags = [...(isRecursive ? ['-r', '-t'] : []), '-z', '--full-tree'];
  const child = spawnGit(git, repository, 'ls-tree', { flags, args: [treeId] });
  child.stdin.end();
  const reader = createListReader();
  let hasEnough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (hasEnough) return;
    hasEnough = !reader.write(chunk) || reader.satisfies(requested);
    if (hasEnough) child.kill();
  });
  const exit = await child.done;
  if (!exit.ok && !hasEnough) throw new GitError('ls-tree', exit.failure);
  return reader.end(!hasEnough);
}

/** `040000 tree <id>\t<path>`, NUL-terminated: position of the first letter of the type. */
const TYPE_OFFSET = 7;
const ID_LENGTH = 40;
const TYPE_LENGTHS = { tree: 4, blob: 4, commit: 6 } as const;

/** Parses the output of `git ls-tree -z` in chunks. */
function createListReader() {
  const offsetsByType = { tree: [] as number[], blob: [] as number[], commit: [] as number[] };
  let text = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  /** Start of the incomplete entry. */
  let entryStart = 0;
  let isTooLong = false;

  function append(chunk: Buffer): void {
    if (size + chunk.length > text.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * text.length, size + chunk.length));
      text.copy(larger, 0, 0, size);
      text = larger;
    }
    chunk.copy(text, size);
    size += chunk.length;
  }

  const satisfies = ({ maxEntries, maxCounted }: RequestedEntries, complete = false): boolean => {
    const entryCount = offsetsByType.tree.length + offsetsByType.blob.length + offsetsByType.commit.length;
    // Unread folders would precede the files read so far, so only folders count towards the requested entries.
    return complete || (offsetsByType.tree.length >= maxEntries && entryCount >= maxCounted);
  };

  return {
    satisfies,
    /** Returns false if the list is too long. */
    write(chunk: Buffer): boolean {
      isTooLong = size + chunk.length > MAX_LIST_BYTES;
      if (isTooLong) return false;
      const searchedBytes = size;
      append(chunk);
      for (let end = text.indexOf(0, searchedBytes); end >= 0 && end < size; end = text.indexOf(0, entryStart)) {
        offsetsByType[getType(text, entryStart)].push(entryStart);
        entryStart = end + 1;
      }
      return true;
    },
    end: (complete: boolean): StreamedList => ({
      // Copies the text, unless that saves little memory.
      ...createPagedEntries(
        2 * entryStart > text.length ? text.subarray(0, entryStart) : Buffer.from(text.subarray(0, entryStart)),
        offsetsByType,
      ),
      isComplete: complete,
      // Nothing more can be read of a list that is too long.
      satisfies: (requested) => isTooLong || satisfies(requested, complete),
    }),
  };
}

interface SearchableList<T> {
  findIndex(isMatch: (entry: T) => boolean): number;
  findLastIndex(isMatch: (entry: T) => boolean): number;
}

function toRange<T>(list: SearchableList<T>, isMatch: (entry: T) => boolean): { first: number; last: number } | null {
  const first = list.findIndex(isMatch);
  return first === -1 ? null : { first, last: list.findLastIndex(isMatch) };
}

function createPagedEntries(
  text: Buffer,
  offsetsByType: Readonly<Record<TreeEntry['type'], number[]>>,
): Omit<StreamedList, 'isComplete' | 'satisfies'> {
  const offsets = Uint32Array.from([...offsetsByType.tree, ...offsetsByType.blob, ...offsetsByType.commit]);
  const idAt = (index: number) => {
    const offset = offsets[index];
    if (offset === undefined) return '';
    const start = getIdStart(text, offset);
    return text.toString('latin1', start, start + ID_LENGTH);
  };
  return {
    length: offsets.length,
    bytes: text.buffer.byteLength + offsets.byteLength + 1024,
    slice: (start: number, end: number) =>
      Array.from(offsets.subarray(start, end), (offset) => parseEntry(text, offset)),
    getIdAt: idAt,
    findId(id: string) {
      const target = Buffer.from(id, 'latin1');
      return toRange(offsets, (offset) => {
        const start = getIdStart(text, offset);
        // Nearly all ids differ in the first digits.
        if (text[start] !== target[0] || text[start + 1] !== target[1]) return false;
        return text.compare(target, 0, target.length, start, start + ID_LENGTH) === 0;
      });
    },
  };
}

function getType(text: Buffer, offset: number): TreeEntry['type'] {
  // The first letter: `t`, `b`, or `c` for `commit`.
  const letter = text[offset + TYPE_OFFSET];
  return letter === 0x74 ? 'tree' : letter === 0x62 ? 'blob' : 'commit';
}

function getIdStart(text: Buffer, offset: number): number {
  return offset + TYPE_OFFSET + TYPE_LENGTHS[getType(text, offset)] + 1;
}

function parseEntry(text: Buffer, offset: number): TreeListEntry {
  const start = getIdStart(text, offset);
  const pathStart = start + ID_LENGTH + 1;
  return {
    mode: toCanonicalMode(text.toString('latin1', offset, offset + 6)),
    type: getType(text, offset),
    id: text.toString('latin1', start, start + ID_LENGTH),
    path: decodeName(text.subarray(pathStart, text.indexOf(0, pathStart))),
  };
}

import { LRUCache } from 'lru-cache';
import { type Git, ownedBy } from '../git.ts';
import { LARGE_TREE, objectInfo, readTree, type TreeEntry } from '../objects/object-reader.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import { stream } from '../process/spawn.ts';
import { decodeName } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { walks } from './path-entries.ts';

/** An entry of a list; `path` begins at the listed tree. See `ref-names.ts` for paths that are not UTF-8. */
export interface ListedEntry {
  readonly mode: string;
  readonly type: TreeEntry['type'];
  readonly id: string;
  readonly path: string;
}

/** The entries of a tree: folders, then files, then submodules, each kind in git's order. */
export interface TreeList {
  readonly length: number;
  /** False: there are others. They were not wanted, or they are beyond what is read of any list (64 MiB as git prints it). */
  readonly complete: boolean;
  slice(start: number, end: number): ListedEntry[];
  idAt(place: number): string;
  /** Where the first entry with this id stands (equal files have one id); -1: there is none. */
  placeOf(id: string): number;
}

/** How much of a list somebody needs. */
interface Wanted {
  /** So many entries from its beginning; Infinity: all. */
  readonly entries: number;
  /** Whether there are so many in all. */
  readonly counted: number;
}

const EVERYTHING: Wanted = { entries: Number.POSITIVE_INFINITY, counted: Number.POSITIVE_INFINITY };

/** What is read of one list at most, as git writes it: some 600,000 entries. */
const LONGEST_LIST = 64 * 1024 * 1024;

/**
 * What lies directly in a tree, or at every depth below it. Null: there is no such tree. Reading stops when it has what
 * is wanted, so that the first page costs the same of any tree.
 */
export async function listTree(
  git: Git,
  repository: Repository,
  treeId: string,
  { deep = false, wanted = EVERYTHING }: { deep?: boolean; wanted?: Wanted } = {},
): Promise<TreeList | null> {
  if (!deep) {
    const small = await readTree(git, repository, treeId, LARGE_TREE);
    if (small !== null) return shallowList(small.entries);
  }
  const info = await objectInfo(git, repository, treeId);
  return info?.type === 'tree' || deep ? streamedList(git, repository, treeId, deep, wanted) : null;
}

/** The names of those files directly in a tree that are wanted, in git's order. */
export async function filesNamed(git: Git, repository: Repository, treeId: string, wanted: RegExp): Promise<string[]> {
  const small = await readTree(git, repository, treeId, LARGE_TREE);
  if (small !== null) {
    return small.entries.filter(({ type, name }) => type === 'blob' && wanted.test(name)).map(({ name }) => name);
  }
  const names: string[] = [];
  const ended = await eachLine(git, repository, 'ls-tree', { flags: ['--full-tree'], args: [treeId] }, {}, (line) => {
    if (line[TYPE_AT] !== 0x62) return;
    const name = line.toString('utf8', line.indexOf(TAB) + 1);
    if (wanted.test(name)) names.push(name);
  });
  if (!ended.ok) throw new GitFailed('ls-tree', ended.failure);
  return names;
}

const TAB = 0x09;

function shallowList(all: readonly TreeEntry[]): TreeList {
  const of = (type: TreeEntry['type']) => all.filter((entry) => entry.type === type);
  const entries = [...of('tree'), ...of('blob'), ...of('commit')];
  return {
    length: entries.length,
    complete: true,
    slice: (start, end) => entries.slice(start, end).map(({ name, ...entry }) => ({ ...entry, path: name })),
    idAt: (place) => entries[place]?.id ?? '',
    placeOf: (id) => entries.findIndex((entry) => entry.id === id),
  };
}

interface StreamedList extends TreeList {
  readonly bytes: number;
  /** Holds what is wanted: entries that were not read would stand behind these. */
  satisfies(wanted: Wanted): boolean;
}

/** As git printed them, which is the smallest form that pages can be cut from. */
const lists = ownedBy(
  (git) =>
    new LRUCache<string, StreamedList>({
      maxSize: 3 * git.limits.objectBytes,
      sizeCalculation: (list) => list.bytes,
    }),
);

/** Asked from git once for each tree and remembered by its id, unless it is too long for that. */
async function streamedList(
  git: Git,
  repository: Repository,
  treeId: string,
  deep: boolean,
  wanted: Wanted,
): Promise<StreamedList> {
  const key = `${repository.directory} ${deep ? 'deep ' : ''}${treeId}`;
  const known = lists(git).get(key);
  if (known?.satisfies(wanted)) return known;
  return together(git, `tree ${wanted.entries} ${wanted.counted} ${key}`, async (shared) => {
    const list = await walks(git).enter(() => askList(shared, repository, treeId, deep, wanted), shared);
    lists(git).set(key, list);
    return list;
  });
}

async function askList(
  git: Git,
  repository: Repository,
  treeId: string,
  deep: boolean,
  wanted: Wanted,
): Promise<StreamedList> {
  const flags = [...(deep ? ['-r', '-t'] : []), '-z', '--full-tree'];
  const child = stream(git, repository, 'ls-tree', { flags, args: [treeId] });
  child.stdin.end();
  const reader = createListReader();
  let enough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (enough) return;
    enough = !reader.write(chunk) || reader.satisfies(wanted);
    if (enough) child.kill();
  });
  const ended = await child.done;
  if (!ended.ok && !enough) throw new GitFailed('ls-tree', ended.failure);
  return reader.end(!enough);
}

/** `040000 tree <id>\t<path>`, ended by NUL: the first letter of the type stands at a fixed place. */
const TYPE_AT = 7;
const ID_LENGTH = 40;
const typeLengths = { tree: 4, blob: 4, commit: 6 } as const;

/** Reads the output of `git ls-tree -z` piece by piece. */
function createListReader() {
  const starts = { tree: [] as number[], blob: [] as number[], commit: [] as number[] };
  let text = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  /** Where the entry begins that has not ended yet. */
  let at = 0;
  let full = false;

  function hold(chunk: Buffer): void {
    if (size + chunk.length > text.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * text.length, size + chunk.length));
      text.copy(larger, 0, 0, size);
      text = larger;
    }
    chunk.copy(text, size);
    size += chunk.length;
  }

  const satisfies = ({ entries, counted }: Wanted, complete = false): boolean => {
    const known = starts.tree.length + starts.blob.length + starts.commit.length;
    // More folders may come, and stand before every file that is known.
    return complete || (starts.tree.length >= entries && known >= counted);
  };

  return {
    satisfies,
    /** False: there is too much of it. */
    write(chunk: Buffer): boolean {
      full = size + chunk.length > LONGEST_LIST;
      if (full) return false;
      const searched = size;
      hold(chunk);
      for (let end = text.indexOf(0, searched); end >= 0 && end < size; end = text.indexOf(0, at)) {
        starts[typeOf(text, at)].push(at);
        at = end + 1;
      }
      return true;
    },
    end: (complete: boolean): StreamedList => ({
      // A copy of its own, unless that saves next to nothing.
      ...cutFrom(2 * at > text.length ? text.subarray(0, at) : Buffer.from(text.subarray(0, at)), starts),
      complete,
      // Of too long a list nobody can get more.
      satisfies: (wanted) => full || satisfies(wanted, complete),
    }),
  };
}

function cutFrom(text: Buffer, starts: Readonly<Record<TreeEntry['type'], number[]>>) {
  const places = Uint32Array.from([...starts.tree, ...starts.blob, ...starts.commit]);
  const idAt = (place: number) => {
    const at = places[place];
    if (at === undefined) return '';
    const start = idStart(text, at);
    return text.toString('latin1', start, start + ID_LENGTH);
  };
  return {
    length: places.length,
    bytes: text.buffer.byteLength + places.byteLength + 1024,
    slice: (start: number, end: number) => Array.from(places.subarray(start, end), (at) => entryAt(text, at)),
    idAt,
    placeOf(id: string) {
      const wanted = Buffer.from(id, 'latin1');
      return places.findIndex((at) => {
        const start = idStart(text, at);
        // Nearly all differ in the first digits.
        if (text[start] !== wanted[0] || text[start + 1] !== wanted[1]) return false;
        return text.compare(wanted, 0, wanted.length, start, start + ID_LENGTH) === 0;
      });
    },
  };
}

function typeOf(text: Buffer, at: number): TreeEntry['type'] {
  const letter = text[at + TYPE_AT];
  return letter === 0x74 ? 'tree' : letter === 0x62 ? 'blob' : 'commit';
}

function idStart(text: Buffer, at: number): number {
  return at + TYPE_AT + typeLengths[typeOf(text, at)] + 1;
}

function entryAt(text: Buffer, at: number): ListedEntry {
  const start = idStart(text, at);
  const path = start + ID_LENGTH + 1;
  return {
    mode: text.toString('latin1', at, at + 6),
    type: typeOf(text, at),
    id: text.toString('latin1', start, start + ID_LENGTH),
    path: decodeName(text.subarray(path, text.indexOf(0, path))),
  };
}

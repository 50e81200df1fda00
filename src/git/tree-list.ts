import { LRUCache } from 'lru-cache';
import { GitFailed } from './failures.ts';
import { walks } from './files.ts';
import { type Git, ownedBy } from './git.ts';
import { decodeName } from './names.ts';
import { readTree, type TreeEntry } from './objects.ts';
import type { Repository } from './repository.ts';
import { run } from './spawn.ts';

/** An entry of a list; `path` begins at the listed tree. See `names.ts` for paths that are not UTF-8. */
export interface ListedEntry {
  readonly mode: string;
  readonly type: TreeEntry['type'];
  readonly id: string;
  readonly path: string;
}

/** The entries of a tree: folders, then files, then submodules, each kind in git's order. */
export interface TreeList {
  readonly length: number;
  slice(start: number, end: number): ListedEntry[];
  idAt(place: number): string;
  /** Where the first entry with this id stands (equal files have one id); -1: there is none. */
  placeOf(id: string): number;
}

/** What lies directly in a tree. Null: there is no such tree. */
export async function listTree(git: Git, repository: Repository, treeId: string): Promise<TreeList | null> {
  const tree = await readTree(git, repository, treeId);
  if (tree === null) return null;
  const of = (type: TreeEntry['type']) => tree.entries.filter((entry) => entry.type === type);
  const entries = [...of('tree'), ...of('blob'), ...of('commit')];
  return {
    length: entries.length,
    slice: (start, end) => entries.slice(start, end).map(({ name, ...entry }) => ({ ...entry, path: name })),
    idAt: (place) => entries[place]?.id ?? '',
    placeOf: (id) => entries.findIndex((entry) => entry.id === id),
  };
}

/** Lists of whole trees: as git printed them, which is the smallest form that pages can be cut from. */
const deepLists = ownedBy(
  (git) =>
    new LRUCache<string, Promise<DeepList>>({ maxSize: 3 * git.limits.objectBytes, sizeCalculation: () => 1024 }),
);

interface DeepList extends TreeList {
  readonly bytes: number;
}

/** Everything below a tree, which must be there. Asked from git once for each tree and remembered by its id. */
export async function listTreeDeep(git: Git, repository: Repository, treeId: string): Promise<TreeList> {
  const key = `${repository.directory} ${treeId}`;
  const lists = deepLists(git);
  const known = lists.get(key);
  if (known !== undefined) return known;
  const asked = walks(git).enter(() => askDeepList(git, repository, treeId));
  lists.set(key, asked);
  asked.then(
    (list) => lists.set(key, asked, { size: list.bytes }),
    () => lists.delete(key),
  );
  return asked;
}

async function askDeepList(git: Git, repository: Repository, treeId: string): Promise<DeepList> {
  const invocation = { flags: ['-r', '-t', '-z', '--full-tree'], args: [treeId] };
  const result = await run(git, repository, 'ls-tree', invocation);
  if (!result.ok) throw new GitFailed('ls-tree', result.failure);
  return deepList(result.stdout);
}

/** `040000 tree <id>\t<path>`, ended by NUL: the first letter of the type stands at a fixed place. */
const TYPE_AT = 7;
const ID_LENGTH = 40;
const typeLengths = { tree: 4, blob: 4, commit: 6 } as const;

function deepList(text: Buffer): DeepList {
  const starts = { tree: [] as number[], blob: [] as number[], commit: [] as number[] };
  for (let at = 0; at < text.length; ) {
    starts[typeOf(text, at)].push(at);
    at = text.indexOf(0, at) + 1;
  }
  const places = Uint32Array.from([...starts.tree, ...starts.blob, ...starts.commit]);
  const idAt = (place: number) => {
    const at = places[place];
    if (at === undefined) return '';
    const start = idStart(text, at);
    return text.toString('latin1', start, start + ID_LENGTH);
  };
  return {
    length: places.length,
    bytes: text.length + places.byteLength + 1024,
    slice: (start, end) => Array.from(places.subarray(start, end), (at) => entryAt(text, at)),
    idAt,
    placeOf(id) {
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

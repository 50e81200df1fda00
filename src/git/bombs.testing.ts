import { Readable } from 'node:stream';
import { writeBlob, writeCommit } from './commit.ts';
import type { Git } from './git.ts';
import { writeObject } from './loose-objects.ts';
import type { TreeEntry } from './parse-objects.ts';
import type { Repository } from './repository.ts';
import { someone } from './testing.ts';
import { formatTree } from './tree.ts';

/** Little that was stored and expands to very much. */

/**
 * A tree whose every directory has `width` entries, all of them the same, `levels` deep: `width` to the power of `levels`
 * paths in `levels` objects. Gives its id.
 */
export async function nestedTrees(git: Git, repository: Repository, levels: number, width: number): Promise<string> {
  let id = await writeBlob(git, repository, Buffer.from('content\n'.repeat(100)));
  for (let level = 0; level < levels; level += 1) {
    const kind =
      level === 0 ? ({ mode: '100644', type: 'blob' } as const) : ({ mode: '040000', type: 'tree' } as const);
    id = await writeObject(git, repository, 'tree', formatTree(entriesNamed(width, { ...kind, id })));
  }
  return id;
}

/** A tree with so many files, all of them the same. */
export async function wideTree(git: Git, repository: Repository, width: number): Promise<string> {
  const id = await writeBlob(git, repository, Buffer.from('content\n'));
  return writeObject(git, repository, 'tree', formatTree(entriesNamed(width, { mode: '100644', type: 'blob', id })));
}

function entriesNamed(width: number, entry: Omit<TreeEntry, 'name'>): TreeEntry[] {
  return Array.from({ length: width }, (_, at) => ({ ...entry, name: `entry-${String(at).padStart(7, '0')}` }));
}

/** A commit of a tree, without parents; no ref names it. */
export async function commitOfTree(git: Git, repository: Repository, tree: string): Promise<string> {
  return writeCommit(git, repository, { tree, parents: [], author: someone, committer: someone, message: 'Bomb\n' });
}

/** A blob of so many bytes, which compress to next to nothing. */
export async function emptyBytes(git: Git, repository: Repository, size: number): Promise<string> {
  const piece = Buffer.alloc(1024 * 1024);
  const chunks = Readable.from(
    (function* () {
      for (let at = 0; at < size; at += piece.length) yield piece.subarray(0, Math.min(piece.length, size - at));
    })(),
  );
  return writeBlob(git, repository, { size, chunks });
}

/** A commit of one file of this name, whatever it is. */
export async function commitOfName(git: Git, repository: Repository, name: string): Promise<string> {
  const id = await writeBlob(git, repository, Buffer.from('content\n'));
  const tree = formatTree([{ mode: '100644', type: 'blob', id, name }]);
  return commitOfTree(git, repository, await writeObject(git, repository, 'tree', tree));
}

import { eachOf, gate, givingWay } from '#runtime/concurrency-limiter.ts';
import { trimmed } from '#text/trim.ts';
import { type Git, ownedBy } from '../git.ts';
import { type Content, objectId, writeObject } from '../objects/loose-objects.ts';
import {
  emptyTree,
  LARGE_TREE,
  objectInfo,
  readCommit,
  readObject,
  readTree,
  rememberWritten,
} from '../objects/object-reader.ts';
import { type NewObject, writePack } from '../objects/pack-writer.ts';
import { GitFailed } from '../process/failures.ts';
import { expectUpdate } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { treeEntry } from '../trees/path-entries.ts';
import { isReserved } from '../trees/reserved-names.ts';
import { applyChange, editTree, type TreeChange, type TreeConflict, writeTree } from '../trees/tree-edit.ts';

/** Who makes a commit or a tag. Characters that git cannot hold in a name or address are left out. */
export interface Signer {
  readonly name: string;
  readonly email: string;
  /** When, and in which offset (`-0730`); the clock's present, in UTC, by default. */
  readonly at?: { readonly seconds: number; readonly offset: string };
}

/** New content, or the id of a blob that is stored already (a stream that was written with `writeBlob`). */
export type FileContent = Buffer | { readonly id: string };

/**
 * One action on a file. `executable` absent: a new file is not, an existing or moved one stays what it is. Without content
 * a moved file keeps its own.
 */
export type FileChange<Content = FileContent> =
  | {
      readonly action: 'create' | 'update';
      readonly path: string;
      readonly content: Content;
      readonly executable?: boolean | undefined;
    }
  | { readonly action: 'delete'; readonly path: string }
  | {
      readonly action: 'move';
      readonly path: string;
      readonly from: string;
      readonly content?: Content | undefined;
      readonly executable?: boolean | undefined;
    }
  | { readonly action: 'chmod'; readonly path: string; readonly executable: boolean };

export interface CommitRequest {
  /** Null: the first commit of a history. */
  readonly parent: string | null;
  readonly changes: readonly FileChange[];
  readonly author: Signer;
  readonly committer: Signer;
  /** Stored as it is. */
  readonly message: string;
  /** A commit with its parent's tree is made and not refused. */
  readonly allowEmpty?: boolean;
}

/** `index` says which of the changes is at fault. */
type CommitFailure =
  | (TreeConflict & { readonly index: number })
  | { readonly refused: 'empty' }
  | { readonly refused: 'missing-parent' };

type CommitResult = { readonly ok: true; readonly commit: string; readonly tree: string } | CommitFailure;

/**
 * Makes a commit of changes on a parent: all of them, in their order, or none. The objects are durable when it returns
 * and no ref has moved: the caller stores its intent and then calls `updateRefs` with the parent as the old id.
 * Reads and writes as many trees as the paths are deep.
 */
export async function commitChanges(git: Git, repository: Repository, request: CommitRequest): Promise<CommitResult> {
  const parent = request.parent === null ? null : await readCommit(git, repository, request.parent);
  if (request.parent !== null && parent === null) return { refused: 'missing-parent' };
  const pending: NewObject[] = [];
  const edit = editTree(parent === null ? null : parent.treeId);
  const load = (id: string) => loadTree(git, repository, id);
  const giveWay = givingWay();
  for (const [index, change] of request.changes.entries()) {
    await giveWay();
    const conflict = await applyChange(edit, await toTreeChange(change, pending), load);
    if (conflict !== null) return { ...conflict, index };
  }
  const tree = await writeTree(edit, async (content) => {
    await giveWay();
    return postpone(pending, 'tree', content);
  });
  if (tree === (parent?.treeId ?? emptyTree) && request.allowEmpty !== true) return { refused: 'empty' };
  const parents = request.parent === null ? [] : [request.parent];
  const commit = await postpone(pending, 'commit', formatCommit(git, { ...request, tree, parents }));
  expectUpdate(git, repository);
  // What a push would be refused for: git itself says whether this is.
  const suspect = request.changes.find((change) => change.action !== 'delete' && isReserved(change.path));
  const unsound = await written(git).enter(() => writeAll(git, repository, pending, suspect !== undefined), git);
  if (unsound) return { refused: 'invalid-path', path: suspect!.path, index: request.changes.indexOf(suspect!) };
  for (const object of pending.slice(-REMEMBERED)) rememberWritten(git, repository, object);
  return { ok: true, commit, tree };
}

/** Writes one commit object for a tree that is stored (a merge's, a rebase's). Durable when it returns; gives its id. */
export async function writeCommit(git: Git, repository: Repository, commit: NewCommit): Promise<string> {
  return writeObject(git, repository, 'commit', formatCommit(git, commit));
}

/** Writes a blob, of any size in constant memory. Durable when it returns; gives its id. */
export async function writeBlob(git: Git, repository: Repository, content: Content): Promise<string> {
  return writeObject(git, repository, 'blob', content);
}

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signer;
  readonly committer: Signer;
  readonly message: string;
}

/** `Name <address> seconds offset`, as commits and tags hold it. */
export function formatSigner(git: Git, signer: Signer): string {
  const { seconds, offset } = signer.at ?? { seconds: Math.floor(git.clock.now().getTime() / 1000), offset: '+0000' };
  const email = cleanIdentity(signer.email);
  return `${cleanIdentity(signer.name) || email || 'unknown'} <${email}> ${seconds} ${offset}`;
}

/** Of what a commit has written: itself, its root and the trees near it. */
const REMEMBERED = 20;

/** Commits whose objects are being written: each keeps the disk, or a process. */
const written = ownedBy(() => gate(16, { waiting: 256, retryAfter: 5 }));

/** Objects of one commit that are synced at the same time. */
const WRITERS = 8;

/** More objects than this are written as one pack: a file for each costs more than a process. */
const LOOSE = 24;

/** True: they are checked, and break git's rules. */
async function writeAll(
  git: Git,
  repository: Repository,
  pending: readonly NewObject[],
  checked: boolean,
): Promise<boolean> {
  if (checked || pending.length > LOOSE) return !(await writesPack(git, repository, pending, checked));
  await eachOf(WRITERS, pending, ({ type, content }) => writeObject(git, repository, type, content));
  return false;
}

async function writesPack(
  git: Git,
  repository: Repository,
  pending: readonly NewObject[],
  checked: boolean,
): Promise<boolean> {
  try {
    await writePack(git, repository, pending, { checked });
    return true;
  } catch (error) {
    if (checked && error instanceof GitFailed && error.failure.kind === 'unsound') return false;
    throw error;
  }
}

async function postpone(pending: NewObject[], type: NewObject['type'], content: Buffer): Promise<string> {
  const id = await objectId(type, content);
  pending.push({ id, type, content });
  return id;
}

async function toTreeChange(change: FileChange, pending: NewObject[]): Promise<TreeChange> {
  switch (change.action) {
    case 'delete':
      return change;
    case 'chmod':
      return { action: 'chmod', path: change.path, mode: modeOf(change.executable) };
    case 'create':
    case 'update': {
      const { action, path, content, executable } = change;
      return { action, path, id: await idOf(content, pending), mode: optionalMode(executable) };
    }
    case 'move': {
      const { action, path, from, content, executable } = change;
      const id = content === undefined ? undefined : await idOf(content, pending);
      return { action, path, from, id, mode: optionalMode(executable) };
    }
  }
}

async function idOf(content: FileContent, pending: NewObject[]): Promise<string> {
  return Buffer.isBuffer(content) ? postpone(pending, 'blob', content) : content.id;
}

function optionalMode(executable: boolean | undefined): string | undefined {
  return executable === undefined ? undefined : modeOf(executable);
}

function modeOf(executable: boolean): string {
  return executable ? '100755' : '100644';
}

/** In bytes: some two million entries. */
const LARGEST_TREE = 64 * 1024 * 1024;

async function loadTree(git: Git, repository: Repository, id: string) {
  const tree = await readTree(git, repository, id, LARGE_TREE);
  if (tree !== null) return tree.entries;
  const info = await objectInfo(git, repository, id);
  if (info?.type !== 'tree') throw new Error(`${repository.directory} has no tree ${id}`);
  if (info.size > LARGEST_TREE) throw new GitFailed('cat-file', { kind: 'too-large', limit: LARGEST_TREE });
  return {
    entry: (name: string) => treeEntry(git, repository, id, name),
    content: async () => (await readObject(git, repository, id, LARGEST_TREE))!.content!,
  };
}

function formatCommit(git: Git, commit: NewCommit): Buffer {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSigner(git, commit.author)}`,
    `committer ${formatSigner(git, commit.committer)}`,
    '',
    commit.message.replaceAll('\0', ''),
  ];
  return Buffer.from(lines.join('\n'), 'utf8');
}

const PUNCTUATION = ` \t\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff.,:;"\\'`;

/** git leaves out these characters, and punctuation at both ends. */
function cleanIdentity(text: string): string {
  return trimmed(text.replace(/[\0\n\r<>]/g, ''), PUNCTUATION);
}

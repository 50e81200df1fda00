import { createConcurrencyLimiter, mapConcurrently } from '#runtime/concurrency-limiter.ts';
import { createYielder } from '#runtime/yielding.ts';
import { trimCharacters, trimEndCharacters } from '#text/trim.ts';
import { definePerGit, type Git } from '../git.ts';
import { computeObjectId, type ObjectContent, writeObject } from '../objects/loose-objects.ts';
import type { ObjectType } from '../objects/object-parser.ts';
import {
  cacheWrittenObject,
  EMPTY_TREE_ID,
  getObjectInfo,
  MAX_PARSED_TREE,
  readCommit,
  readObject,
  readTree,
} from '../objects/object-reader.ts';
import { type NewObject, writePack } from '../objects/pack-writer.ts';
import { GitError } from '../process/failures.ts';
import { prestartUpdater } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { findTreeEntry } from '../trees/path-entries.ts';
import { mayNeedContentCheck } from '../trees/reserved-names.ts';
import { applyTreeChange, createTreeEdit, type TreeChange, type TreeConflict, writeTree } from '../trees/tree-edit.ts';

/** Author, committer or tagger. Characters that git cannot store in a name or address are removed. */
export interface Signer {
  readonly name: string;
  readonly email: string;
  /** Time and offset (`-0730`). Defaults to the clock's time in UTC. */
  readonly at?: { readonly seconds: number; readonly offset: string };
}

/** New content, or the id of a stored blob (see `writeBlob`). */
export type FileContent = Buffer | { readonly id: string };

/**
 * One action on a file. Without `executable` a new file is not executable and an existing file keeps its mode. Without
 * `content` a moved file keeps its content.
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
  /** Null for the first commit of a history. */
  readonly parent: string | null;
  readonly changes: readonly FileChange[];
  readonly author: Signer;
  readonly committer: Signer;
  /** Stored unchanged. */
  readonly message: string;
  /** Also creates the commit if its tree equals the parent's. */
  readonly allowEmpty?: boolean;
}

/** Reason why no commit was created. `index` is the position of the failed change. */
type CommitFailure =
  | (TreeConflict & { readonly index: number })
  | { readonly rejected: 'empty' }
  | { readonly rejected: 'missing-parent' };

type CommitResult = { readonly ok: true; readonly commit: string; readonly tree: string } | CommitFailure;

/**
 * Creates a commit with changes on top of a parent: all of them, in order, or none. The objects are durable when it
 * returns and no ref has moved. The caller stores its intent and then calls `updateRefs` with the parent as the old id.
 * Reads and writes only the trees along the changed paths.
 */
export async function commitChanges(git: Git, repository: Repository, request: CommitRequest): Promise<CommitResult> {
  const parent = request.parent === null ? null : await readCommit(git, repository, request.parent);
  if (request.parent !== null && parent === null) return { rejected: 'missing-parent' };
  const pending: NewObject[] = [];
  const edit = createTreeEdit(parent === null ? null : parent.treeId);
  const loadEntries = (id: string) => loadTree(git, repository, id);
  const yieldIfDue = createYielder();
  for (const [index, change] of request.changes.entries()) {
    await yieldIfDue();
    const conflict = await applyTreeChange(edit, await toTreeChange(change, pending), loadEntries);
    if (conflict !== null) return { ...conflict, index };
  }
  const tree = await writeTree(edit, async (content) => {
    await yieldIfDue();
    return addPending(pending, 'tree', content);
  });
  if (tree === (parent?.treeId ?? EMPTY_TREE_ID) && request.allowEmpty !== true) return { rejected: 'empty' };
  const parents = request.parent === null ? [] : [request.parent];
  const commit = await addPending(pending, 'commit', formatCommit(git, { ...request, tree, parents }));
  // The caller moves a ref next: its process starts while the objects are written.
  prestartUpdater(git, repository);
  // If a name looks suspect, git checks the objects by the same rules as for a push.
  const suspectChange = request.changes.find(
    (change) => change.action !== 'delete' && mayNeedContentCheck(change.path),
  );
  const isInvalid = await writeLimiter(git).run(
    () => writeObjects(git, repository, pending, suspectChange !== undefined),
    git,
  );
  if (isInvalid)
    return { rejected: 'invalid-path', path: suspectChange!.path, index: request.changes.indexOf(suspectChange!) };
  for (const object of pending.slice(-MAX_CACHED_OBJECTS)) cacheWrittenObject(git, repository, object);
  return { ok: true, commit, tree };
}

/** Writes a commit object for a stored tree (of a merge or rebase) and returns its id. Durable when it returns. */
export async function writeCommit(git: Git, repository: Repository, commit: NewCommit): Promise<string> {
  return writeObject(git, repository, 'commit', formatCommit(git, commit));
}

/** Writes a blob of any size in constant memory and returns its id. Durable when it returns. */
export async function writeBlob(git: Git, repository: Repository, content: ObjectContent): Promise<string> {
  return writeObject(git, repository, 'blob', content);
}

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signer;
  readonly committer: Signer;
  readonly message: string;
}

/** Formats `Name <address> seconds offset`, as stored in commits and tags. */
export function formatSigner(git: Git, signer: Signer): string {
  const { seconds, offset } = signer.at ?? { seconds: Math.floor(git.clock.now().getTime() / 1000), offset: '+0000' };
  const email = cleanIdentity(signer.email);
  return `${cleanIdentity(signer.name) || email || 'unknown'} <${email}> ${seconds} ${offset}`;
}

/** Cached objects of a new commit: the commit, its root tree and the trees near it. */
const MAX_CACHED_OBJECTS = 20;

/** Limits the commits whose objects are written at the same time: each occupies the disk or a process. */
const writeLimiter = definePerGit(() => createConcurrencyLimiter(16, { maxWaiting: 256, retryAfterSeconds: 5 }));

/** Objects of one commit that are written concurrently. */
const MAX_CONCURRENT_WRITES = 8;

/** With more objects than this, one pack is cheaper than a file for each. */
const MAX_LOOSE_OBJECTS = 24;

/** Returns true if the objects were checked and break git's rules. */
async function writeObjects(
  git: Git,
  repository: Repository,
  pending: readonly NewObject[],
  checked: boolean,
): Promise<boolean> {
  if (checked || pending.length > MAX_LOOSE_OBJECTS)
    return !(await writePackIfValid(git, repository, pending, checked));
  await mapConcurrently(MAX_CONCURRENT_WRITES, pending, ({ type, content }) =>
    writeObject(git, repository, type, content),
  );
  return false;
}

async function writePackIfValid(
  git: Git,
  repository: Repository,
  pending: readonly NewObject[],
  checked: boolean,
): Promise<boolean> {
  try {
    await writePack(git, repository, pending, { checked });
    return true;
  } catch (error) {
    if (checked && error instanceof GitError && error.failure.kind === 'unsound') return false;
    throw error;
  }
}

async function addPending(pending: NewObject[], type: NewObject['type'], content: Buffer): Promise<string> {
  const id = await computeObjectId(type, content);
  pending.push({ id, type, content });
  return id;
}

async function toTreeChange(change: FileChange, pending: NewObject[]): Promise<TreeChange> {
  switch (change.action) {
    case 'delete':
      return change;
    case 'chmod':
      return { action: 'chmod', path: change.path, mode: toMode(change.executable) };
    case 'create':
    case 'update': {
      const { action, path, content, executable } = change;
      return { action, path, id: await toBlobId(content, pending), ...toOptionalMode(executable) };
    }
    case 'move': {
      const { action, path, from, content, executable } = change;
      const newContent = content === undefined ? {} : { id: await toBlobId(content, pending) };
      return { action, path, from, ...newContent, ...toOptionalMode(executable) };
    }
  }
}

async function toBlobId(content: FileContent, pending: NewObject[]): Promise<string> {
  return Buffer.isBuffer(content) ? addPending(pending, 'blob', content) : content.id;
}

function toOptionalMode(executable: boolean | undefined): { readonly mode?: string } {
  return executable === undefined ? {} : { mode: toMode(executable) };
}

function toMode(executable: boolean): string {
  return executable ? '100755' : '100644';
}

/** Maximum bytes of a tree that is changed; about two million entries. */
const MAX_TREE = 64 * 1024 * 1024;

async function loadTree(git: Git, repository: Repository, id: string) {
  const tree = await readTree(git, repository, id, MAX_PARSED_TREE);
  if (tree !== null) return tree.entries;
  const info = await getObjectInfo(git, repository, id);
  if (info?.type !== 'tree') throw new Error(`${repository.directory} has no tree ${id}`);
  if (info.size > MAX_TREE) throw new GitError('cat-file', { kind: 'too-large', limit: MAX_TREE });
  return {
    findEntry: (name: string) => findTreeEntry(git, repository, id, name),
    content: async () => (await readObject(git, repository, id, MAX_TREE))!.content!,
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

/** White space and punctuation that git also trims from both ends of a name. */
const PUNCTUATION = ` \t\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff.,:;"\\'`;

/** Removes the characters that git cannot store in a name or address, and punctuation at both ends. */
function cleanIdentity(text: string): string {
  return trimCharacters(text.replace(/[\0\n\r<>]/g, ''), PUNCTUATION);
}

interface CreateTagObjectInput {
  /** Valid, without `refs/tags/`. */
  readonly name: string;
  readonly targetId: string;
  readonly targetType: ObjectType;
  readonly tagger: Signer;
  readonly message: string;
}

/** Writes an annotated tag object and returns its id. The object is durable when this returns; no ref moves. */
export async function writeTag(git: Git, repository: Repository, tag: CreateTagObjectInput): Promise<string> {
  const lines = [
    `object ${tag.targetId}`,
    `type ${tag.targetType}`,
    `tag ${tag.name}`,
    `tagger ${formatSigner(git, tag.tagger)}`,
    '',
    `${trimEndCharacters(tag.message.replaceAll('\0', ''), '\n')}\n`,
  ];
  return writeObject(git, repository, 'tag', Buffer.from(lines.join('\n'), 'utf8'));
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { gate } from '#runtime/concurrency-limiter.ts';
import { firstBytes } from '#text/trim.ts';
import { type Git, ownedBy } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { createPool, type Speaker } from '../process/process-pool.ts';
import { stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import {
  type Commit,
  type ObjectType,
  parseCommit,
  parseTag,
  parseTree,
  type Tag,
  type TreeEntry,
} from './object-parser.ts';

export type { Commit, ObjectType, Tag, TreeEntry } from './object-parser.ts';

interface ObjectInfo {
  readonly id: string;
  readonly type: ObjectType;
  /** Bytes of the content. */
  readonly size: number;
}

interface ReadObject extends ObjectInfo {
  /** Null when it is larger than the limit. */
  readonly content: Buffer | null;
}

export interface StreamedObject extends ObjectInfo {
  /** Starts git when it is first read; destroying it stops git. Fails with `GitFailed`, never ends early. */
  readonly content: Readable;
}

/** What is at most this large is read at once and remembered; what is larger is streamed. */
export const SMALL_OBJECT = 1024 * 1024;

const readers = ownedBy((git) =>
  createPool(git, 'cat-file', { flags: ['--batch-command'] }, { processes: git.limits.readers, seconds: 60 }),
);
const streams = ownedBy((git) => gate(git.limits.streams, { waiting: 256, retryAfter: 10 }));

/*
 * Every key begins with the repository: an object of one project must not be visible through another project's
 * repository, even to somebody who knows its id.
 */
const infos = ownedBy(() => keptAtMost<ObjectInfo>(20_000));
const contents = ownedBy(
  (git) =>
    new LRUCache<string, ReadObject & { content: Buffer }>({
      maxSize: git.limits.objectBytes,
      sizeCalculation: (object) => object.content.length + 256,
    }),
);
const commits = ownedBy(
  (git) =>
    new LRUCache<string, Commit>({
      maxSize: git.limits.objectBytes,
      sizeCalculation: (commit) => commit.message.length * 2 + 1024,
    }),
);
const trees = ownedBy(
  (git) =>
    new LRUCache<string, Tree>({
      maxSize: git.limits.objectBytes,
      sizeCalculation: (tree) => tree.entries.length * 200 + 256,
    }),
);
const sha256s = ownedBy(() => keptAtMost<string>(20_000));

const isId = /^[0-9a-f]{40}$/;

function keyOf(repository: Repository, id: string): string {
  return `${repository.directory} ${id}`;
}

/**
 * What an object id, or an expression such as `refs/heads/x^{commit}`, names; null when nothing or several things. Ids
 * are remembered, expressions are asked each time. An absent repository holds nothing.
 */
export async function objectInfo(git: Git, repository: Repository, expression: string): Promise<ObjectInfo | null> {
  const key = isId.test(expression) ? keyOf(repository, expression) : null;
  const known = key === null ? undefined : infos(git).get(key);
  if (known !== undefined) return known;
  const found = await ask(git, repository, expression, async (reader) => {
    reader.say(`info ${expression}\n`);
    return parseInfo(await reader.line());
  });
  if (found !== null) infos(git).set(keyOf(repository, found.id), found);
  return found;
}

/**
 * An object with its content, which is null when it is larger than `limit` bytes. Null when there is no such object.
 * Blobs up to 1 MiB are remembered.
 */
export async function readObject(
  git: Git,
  repository: Repository,
  id: string,
  limit = 10 * 1024 * 1024,
): Promise<ReadObject | null> {
  const key = keyOf(repository, id);
  const known = contents(git).get(key);
  if (known !== undefined && known.size <= limit) return known;
  const info = infos(git).get(key);
  if (info !== undefined && info.size > limit) return { ...info, content: null };
  const found = await ask(git, repository, id, (reader) => readContent(reader, id, limit));
  if (found === null) return null;
  const { content, ...about } = found;
  infos(git).set(keyOf(repository, found.id), about);
  if (content !== null && found.type === 'blob' && found.size <= SMALL_OBJECT) {
    contents(git).set(keyOf(repository, found.id), { ...about, content });
  }
  return found;
}

/** An object whose content flows at the pace of whoever reads it, in constant memory. Null when there is none. */
export async function streamObject(git: Git, repository: Repository, id: string): Promise<StreamedObject | null> {
  const info = await objectInfo(git, repository, id);
  if (info === null) return null;
  if (info.size > SMALL_OBJECT) return { ...info, content: contentOf(git, repository, info) };
  const object = await readObject(git, repository, id, SMALL_OBJECT);
  return object?.content == null ? null : { ...info, content: Readable.from([object.content], { objectMode: false }) };
}

/**
 * With its whole message, unless that is longer than anybody writes. Null: there is no such commit (another type of object
 * counts as none).
 */
export async function readCommit(git: Git, repository: Repository, id: string): Promise<Commit | null> {
  const [commit] = await readCommits(git, repository, [id]);
  if (commit?.cut !== true) return commit ?? null;
  const object = await readObject(git, repository, id, LONGEST_ALONE);
  return object?.content == null ? commit : parseCommit(object.id, object.content);
}

/** Bytes of a commit that is taken apart whole, with its signature: several times as much holds others up. */
const LONGEST_ALONE = 3 * 1024 * 1024;

/**
 * Many commits with one trip to git for those that are not remembered; null for each that does not exist. Of a message that
 * is longer than lists show, the beginning; of those that come when the others hold `together` bytes already, hardly more
 * than the title.
 */
export async function readCommits(
  git: Git,
  repository: Repository,
  ids: readonly string[],
  together = LONGEST_TOGETHER,
): Promise<(Commit | null)[]> {
  const found = new Map<string, Commit>();
  for (const id of ids) {
    const known = commits(git).get(keyOf(repository, id));
    if (known !== undefined) found.set(id, known);
  }
  const wanted = [...new Set(ids)].filter((id) => isId.test(id) && !found.has(id));
  if (wanted.length > 0) {
    for (const { commit, isWhole } of await askForCommits(git, repository, wanted, together)) {
      if (isWhole) commits(git).set(keyOf(repository, commit.id), commit);
      found.set(commit.id, commit);
    }
  }
  let left = together;
  return ids.map((id) => {
    const commit = found.get(id);
    if (commit === undefined) return null;
    left -= commit.message.length;
    return left < 0 && commit.message.length > SHORT_MESSAGE ? shortened(commit) : commit;
  });
}

/** Nothing is won by shortening it. */
const SHORT_MESSAGE = 1024;

function shortened(commit: Commit): Commit {
  return { ...commit, message: firstBytes(commit.message.slice(0, SHORTEST_MESSAGE), SHORTEST_MESSAGE), cut: true };
}

/** A commit or tree that has just been written need not be asked for. */
export function rememberWritten(
  git: Git,
  repository: Repository,
  { id, type, content }: { readonly id: string; readonly type: ObjectType; readonly content: Buffer },
): void {
  const key = keyOf(repository, id);
  if (type === 'commit' && content.length < LONGEST_MESSAGE) commits(git).set(key, parseCommit(id, content));
  if (type === 'tree' && content.length < SMALL_TREE) trees(git).set(key, treeOf(parseTree(content)));
}

const SMALL_TREE = 64 * 1024;

/** A tree's entries in git's order, and by name. */
export interface Tree {
  readonly entries: readonly TreeEntry[];
  entry(name: string): TreeEntry | undefined;
}

/** The tree that git knows without storing it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** A tree object of more bytes (some 15,000 entries) is not taken apart for one of them: see `treeEntry`. */
export const LARGE_TREE = 512 * 1024;

/** Null: there is no such tree, or it is larger than `limit` bytes. */
export async function readTree(
  git: Git,
  repository: Repository,
  id: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Tree | null> {
  if (id === emptyTree) return treeOf([]);
  const key = keyOf(repository, id);
  const known = trees(git).get(key);
  if (known !== undefined) return known;
  const object = await readObject(git, repository, id, limit);
  if (object?.type !== 'tree' || object.content === null) return null;
  const tree = treeOf(parseTree(object.content));
  trees(git).set(key, tree);
  return tree;
}

/** Null: there is no such annotated tag (a lightweight one is its target, not an object). */
export async function readTag(git: Git, repository: Repository, id: string): Promise<Tag | null> {
  const object = await readObject(git, repository, id);
  return object?.type === 'tag' && object.content !== null ? parseTag(object.id, object.content) : null;
}

/** The SHA-256 of a blob's bytes in hex; computed once, in constant memory. Null when there is no such object. */
export async function blobSha256(git: Git, repository: Repository, id: string): Promise<string | null> {
  const key = keyOf(repository, id);
  const known = sha256s(git).get(key);
  if (known !== undefined) return known;
  const object = await streamObject(git, repository, id);
  if (object === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of object.content) hash.update(chunk as Buffer);
  const sha256 = hash.digest('hex');
  sha256s(git).set(key, sha256);
  return sha256;
}

function treeOf(entries: readonly TreeEntry[]): Tree {
  let byName: Map<string, TreeEntry> | undefined;
  return {
    entries,
    entry: (name) => {
      byName ??= new Map(entries.map((entry) => [entry.name, entry]));
      return byName.get(name);
    },
  };
}

/** Lends a reader; null without one when the question would be none or the repository is absent. */
async function ask<Answer>(
  git: Git,
  repository: Repository,
  expression: string,
  work: (reader: Speaker) => Promise<Answer | null>,
): Promise<Answer | null> {
  if (expression === '' || /[\0\n\r]/.test(expression)) return null;
  try {
    return await readers(git).lend(repository, work, git.client);
  } catch (error) {
    if (error instanceof GitFailed && error.failure.kind === 'no-repository') return null;
    throw error;
  }
}

function parseInfo(line: Buffer): ObjectInfo | null {
  const found = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(line.toString('latin1'));
  return found === null ? null : { id: found[1]!, type: found[2] as ObjectType, size: Number(found[3]) };
}

const SKIPPED = 1024 * 1024;

async function readContent(reader: Speaker, id: string, limit: number): Promise<ReadObject | null> {
  reader.say(`contents ${id}\n`);
  const info = parseInfo(await reader.line());
  if (info === null) return null;
  if (info.size > limit) {
    // Unread content makes a reader useless for the next caller; too much of it costs more than another reader.
    if (info.size > SKIPPED) reader.child.kill();
    else await reader.skip(info.size + 1);
    return { ...info, content: null };
  }
  const content = await reader.bytes(info.size + 1);
  // A copy of its own: the chunk that it came in can be much larger.
  return { ...info, content: Buffer.from(content.subarray(0, info.size)) };
}

/** What lists show of a message, in bytes (contract/conventions.md §3 "Limits of texts"). */
const LONGEST_MESSAGE = 1024 * 1024;
/** Its headers come before it: signatures, many parents. */
const LONGEST_COMMIT = LONGEST_MESSAGE + 64 * 1024;

/** What the messages of commits that are asked for at once hold, in bytes. */
const LONGEST_TOGETHER = 32 * 1024 * 1024;
/** What of a message is kept when they hold that. */
const SHORTEST_MESSAGE = 256;

/** A commit, and whether its message is as long as a list of it alone shows it. */
interface AskedCommit {
  readonly commit: Commit;
  readonly isWhole: boolean;
}

/** Those of the objects that are commits; of one that is too long, the beginning. */
async function askForCommits(
  git: Git,
  repository: Repository,
  ids: readonly string[],
  together: number,
): Promise<AskedCommit[]> {
  const found = await ask(git, repository, ids[0]!, async (reader) => {
    const commits: AskedCommit[] = [];
    let left = together;
    reader.say(ids.map((id) => `contents ${id}\n`).join(''));
    for (const _ of ids) {
      const info = parseInfo(await reader.line());
      if (info === null) continue;
      const kept = info.type === 'commit' ? Math.min(info.size, LONGEST_COMMIT) : 0;
      const content = await reader.bytes(kept);
      await reader.skip(info.size - kept + 1);
      if (info.type !== 'commit') continue;
      left -= content.length;
      const isWhole = left >= 0 || content.length <= SHORT_MESSAGE;
      const most = isWhole ? LONGEST_MESSAGE : SHORTEST_MESSAGE;
      commits.push({ commit: beginningOf(info, content, most), isWhole });
    }
    return commits;
  });
  return found ?? [];
}

/** The commit with so many bytes of its message, of which nothing else is kept: a part of a text keeps the whole. */
function beginningOf({ id, size }: ObjectInfo, content: Buffer, most: number): Commit {
  const begin = content.indexOf('\n\n') + 2;
  // Four bytes more, so that a character is not cut in the middle.
  const commit = parseCommit(id, begin < 2 ? content : content.subarray(0, begin + most + 4));
  const message = firstBytes(commit.message, most);
  return content.length < size || content.length > begin + most || message !== commit.message
    ? { ...commit, message, cut: true }
    : commit;
}

function contentOf(git: Git, repository: Repository, info: ObjectInfo): Readable {
  async function* flow(): AsyncGenerator<Buffer> {
    const leave = await streams(git).take(git);
    const child = stream(git, repository, 'cat-file', { args: [info.type, info.id] });
    try {
      child.stdin.end();
      for await (const chunk of child.stdout) yield chunk as Buffer;
      const ended = await child.done;
      if (!ended.ok) throw new GitFailed('cat-file', ended.failure);
    } finally {
      child.kill();
      leave();
    }
  }
  return Readable.from(flow(), { objectMode: false });
}

import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import { createYielder } from '#runtime/yielding.ts';
import { truncateToBytes } from '#text/trim.ts';
import { definePerGit, type Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { createProcessPool, type PooledProcess } from '../process/process-pool.ts';
import { spawnGit } from '../process/spawn.ts';
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

export type { Commit, Tag, TreeEntry } from './object-parser.ts';

interface ObjectInfo {
  readonly id: string;
  readonly type: ObjectType;
  /** Bytes of the content. */
  readonly size: number;
}

interface ReadObject extends ObjectInfo {
  /** Null if it is larger than the limit. */
  readonly content: Buffer | null;
}

export interface StreamedObject extends ObjectInfo {
  /** Starts git at the first read. Destroying it stops git. Fails with `GitError` instead of ending early. */
  readonly content: Readable;
}

/** Objects up to this size in bytes are read completely and cached; larger ones are streamed. */
export const MAX_BUFFERED_OBJECT = 1024 * 1024;

const readerPool = definePerGit((git) =>
  createProcessPool(
    git,
    'cat-file',
    { flags: ['--batch-command'] },
    { maxProcesses: git.limits.maxReaders, maxUseSeconds: 60 },
  ),
);
const streamLimiter = definePerGit((git) =>
  createConcurrencyLimiter(git.limits.maxStreams, { maxWaiting: 256, retryAfterSeconds: 10 }),
);

/*
 * Every key begins with the repository. An object of one project must not be visible through another project's
 * repository, even to somebody who knows its id.
 */
const infoCache = definePerGit(() => createBoundedCache<ObjectInfo>(20_000));
const contentCache = definePerGit(
  (git) =>
    new LRUCache<string, ReadObject & { content: Buffer }>({
      maxSize: git.limits.cacheBytes,
      sizeCalculation: (object) => object.content.length + 256,
    }),
);
const commitCache = definePerGit(
  (git) =>
    new LRUCache<string, Commit>({
      maxSize: git.limits.cacheBytes,
      sizeCalculation: (commit) => commit.message.length * 2 + 1024,
    }),
);
const treeCache = definePerGit(
  (git) =>
    new LRUCache<string, Tree>({
      maxSize: git.limits.cacheBytes,
      sizeCalculation: (tree) => tree.entries.length * 200 + 256,
    }),
);
const sha256Cache = definePerGit(() => createBoundedCache<string>(20_000));

const ID_PATTERN = /^[0-9a-f]{40}$/;

function toCacheKey(repository: Repository, id: string): string {
  return `${repository.directory} ${id}`;
}

/**
 * Returns the object that an id or an expression (`refs/heads/x^{commit}`) names; null if it names none or is
 * ambiguous. Ids are cached, expressions are not. A missing repository has no objects.
 */
export async function getObjectInfo(git: Git, repository: Repository, expression: string): Promise<ObjectInfo | null> {
  const key = ID_PATTERN.test(expression) ? toCacheKey(repository, expression) : null;
  const cached = key === null ? undefined : infoCache(git).get(key);
  if (cached !== undefined) return cached;
  const info = await withReader(git, repository, expression, async (reader) => {
    reader.send(`info ${expression}\n`);
    return parseInfo(await reader.readLine());
  });
  if (info !== null) infoCache(git).set(toCacheKey(repository, info.id), info);
  return info;
}

/**
 * Returns an object with its content, which is null if larger than `limit` bytes. Null if there is no such object.
 * Blobs up to 1 MiB are cached.
 */
export async function readObject(
  git: Git,
  repository: Repository,
  id: string,
  limit = 10 * 1024 * 1024,
): Promise<ReadObject | null> {
  const key = toCacheKey(repository, id);
  const cached = contentCache(git).get(key);
  if (cached !== undefined && cached.size <= limit) return cached;
  const cachedInfo = infoCache(git).get(key);
  if (cachedInfo !== undefined && cachedInfo.size > limit) return { ...cachedInfo, content: null };
  const object = await withReader(git, repository, id, (reader) => readContent(reader, id, limit));
  if (object === null) return null;
  const { content, ...info } = object;
  infoCache(git).set(toCacheKey(repository, object.id), info);
  if (content !== null && object.type === 'blob' && object.size <= MAX_BUFFERED_OBJECT)
    contentCache(git).set(toCacheKey(repository, object.id), { ...info, content });
  return object;
}

/** Returns an object with its content as a stream with back-pressure, in constant memory. Null if there is none. */
export async function streamObject(git: Git, repository: Repository, id: string): Promise<StreamedObject | null> {
  const object = await readObject(git, repository, id, MAX_BUFFERED_OBJECT);
  if (object === null) return null;
  const content =
    object.content === null
      ? streamContent(git, repository, object)
      : Readable.from([object.content], { objectMode: false });
  return { ...object, content };
}

/**
 * Returns a commit with its whole message, up to 3 MiB. Null if there is no such commit (objects of other types count
 * as none).
 */
export async function readCommit(git: Git, repository: Repository, id: string): Promise<Commit | null> {
  const [commit] = await readCommits(git, repository, [id]);
  if (commit?.isTruncated !== true) return commit ?? null;
  const object = await readObject(git, repository, id, MAX_FULL_COMMIT);
  return object?.content == null ? commit : parseCommit(object.id, object.content);
}

/** Maximum bytes of a commit that is parsed whole, with its signature. Parsing more would block the event loop. */
const MAX_FULL_COMMIT = 3 * 1024 * 1024;

/**
 * Returns many commits, null for each that does not exist. One request to git reads all uncached ones. Long messages
 * are truncated. After `maxTotalBytes` bytes of messages in total, the rest is truncated to little more than the title.
 */
export async function readCommits(
  git: Git,
  repository: Repository,
  ids: readonly string[],
  maxTotalBytes = MAX_TOTAL_MESSAGES,
): Promise<(Commit | null)[]> {
  const commitsById = new Map<string, Commit>();
  const yieldIfDue = createYielder();
  for (const id of ids) {
    const cached = commitCache(git).get(toCacheKey(repository, id));
    if (cached !== undefined) commitsById.set(id, cached);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  const uncached = [...new Set(ids)].filter((id) => ID_PATTERN.test(id) && !commitsById.has(id));
  if (uncached.length > 0) {
    for (const { commit, isWhole } of await loadCommits(git, repository, uncached, maxTotalBytes)) {
      if (isWhole) commitCache(git).set(toCacheKey(repository, commit.id), commit);
      commitsById.set(commit.id, commit);
    }
  }
  let remainingBytes = maxTotalBytes;
  return ids.map((id) => {
    const commit = commitsById.get(id);
    if (commit === undefined) return null;
    remainingBytes -= commit.message.length;
    return remainingBytes < 0 && commit.message.length > MIN_TRUNCATABLE_MESSAGE ? truncateMessage(commit) : commit;
  });
}

/** Shorter messages are never truncated. */
const MIN_TRUNCATABLE_MESSAGE = 1024;

function truncateMessage(commit: Commit): Commit {
  return {
    ...commit,
    message: truncateToBytes(commit.message.slice(0, TRUNCATED_MESSAGE), TRUNCATED_MESSAGE),
    isTruncated: true,
  };
}

/** Caches a commit or tree that has just been written. */
export function cacheWrittenObject(
  git: Git,
  repository: Repository,
  { id, type, content }: { readonly id: string; readonly type: ObjectType; readonly content: Buffer },
): void {
  const key = toCacheKey(repository, id);
  if (type === 'commit' && content.length < MAX_MESSAGE) commitCache(git).set(key, parseCommit(id, content));
  if (type === 'tree' && content.length < MAX_CACHED_TREE) treeCache(git).set(key, toTree(parseTree(content)));
}

/** Maximum bytes of a new tree that is cached when it is written. */
const MAX_CACHED_TREE = 64 * 1024;

/** The entries of a tree in git's order, and by name. */
export interface Tree {
  readonly entries: readonly TreeEntry[];
  findEntry(name: string): TreeEntry | undefined;
}

/** Id of the empty tree, which git knows without storing it. */
export const EMPTY_TREE_ID = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Larger tree objects (in bytes; about 15,000 entries) are not parsed to find one entry: see `findTreeEntry`. */
export const MAX_PARSED_TREE = 512 * 1024;

/** Returns a tree; null if there is none or it is larger than `limit` bytes. */
export async function readTree(
  git: Git,
  repository: Repository,
  id: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Tree | null> {
  if (id === EMPTY_TREE_ID) return toTree([]);
  const key = toCacheKey(repository, id);
  const cached = treeCache(git).get(key);
  if (cached !== undefined) return cached;
  const object = await readObject(git, repository, id, limit);
  if (object?.type !== 'tree' || object.content === null) return null;
  const tree = toTree(parseTree(object.content));
  treeCache(git).set(key, tree);
  return tree;
}

/** Returns an annotated tag; null if there is none (a lightweight tag has no object). */
export async function readTag(git: Git, repository: Repository, id: string): Promise<Tag | null> {
  const object = await readObject(git, repository, id);
  return object?.type === 'tag' && object.content !== null ? parseTag(object.id, object.content) : null;
}

/** Returns the SHA-256 of a blob in hex. Cached; computed in constant memory. Null if there is no such object. */
export async function getBlobSha256(git: Git, repository: Repository, id: string): Promise<string | null> {
  const key = toCacheKey(repository, id);
  const cached = sha256Cache(git).get(key);
  if (cached !== undefined) return cached;
  const object = await readObject(git, repository, id, MAX_BUFFERED_OBJECT);
  if (object === null) return null;
  const sha256 =
    object.content === null
      ? await hashStream(streamContent(git, repository, object))
      : hash('sha256', object.content, 'hex');
  sha256Cache(git).set(key, sha256);
  return sha256;
}

async function hashStream(content: Readable): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of content) sha256.update(chunk as Buffer);
  return sha256.digest('hex');
}

function toTree(entries: readonly TreeEntry[]): Tree {
  let byName: Map<string, TreeEntry> | undefined;
  return {
    entries,
    findEntry: (name) => {
      byName ??= new Map(entries.map((entry) => [entry.name, entry]));
      return byName.get(name);
    },
  };
}

/**
 * Runs `work` with a reader process. Returns null without one if the expression is invalid or the repository is
 * missing.
 */
async function withReader<Result>(
  git: Git,
  repository: Repository,
  expression: string,
  work: (reader: PooledProcess) => Promise<Result | null>,
): Promise<Result | null> {
  if (expression === '' || /[\0\n\r]/.test(expression)) return null;
  try {
    return await readerPool(git).use(repository, work, git.client);
  } catch (error) {
    if (error instanceof GitError && error.failure.kind === 'no-repository') return null;
    throw error;
  }
}

function parseInfo(line: Buffer): ObjectInfo | null {
  const match = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(line.toString('latin1'));
  return match === null ? null : { id: match[1]!, type: match[2] as ObjectType, size: Number(match[3]) };
}

/** Maximum bytes of unread content that are skipped instead of killing the reader. */
const MAX_SKIPPED = 1024 * 1024;

async function readContent(reader: PooledProcess, id: string, limit: number): Promise<ReadObject | null> {
  reader.send(`contents ${id}\n`);
  const info = parseInfo(await reader.readLine());
  if (info === null) return null;
  if (info.size > limit) {
    // Unread content makes a reader unusable for the next caller. Skipping much content costs more than a new reader.
    // git ends the content with a line feed, which the size does not include.
    if (info.size > MAX_SKIPPED) reader.child.kill();
    else await reader.skip(info.size + 1);
    return { ...info, content: null };
  }
  const content = await reader.readBytes(info.size + 1);
  // Copies the content, because the chunk that it came in can be much larger.
  return { ...info, content: Buffer.from(content.subarray(0, info.size)) };
}

/** Bytes of a message in lists (contract/conventions.md §3 "Limits of texts"). */
const MAX_MESSAGE = 1024 * 1024;
/** Bytes of a commit in lists: the message and the headers before it (signatures, many parents). */
const MAX_COMMIT = MAX_MESSAGE + 64 * 1024;

/** Total bytes of the messages of one request. */
const MAX_TOTAL_MESSAGES = 32 * 1024 * 1024;
/** Bytes of each message after that total. */
const TRUNCATED_MESSAGE = 256;

/** A commit, and whether its message has the full length for lists. */
interface LoadedCommit {
  readonly commit: Commit;
  readonly isWhole: boolean;
}

/** Loads the commits among the objects; long messages are truncated. */
async function loadCommits(
  git: Git,
  repository: Repository,
  ids: readonly string[],
  maxTotalBytes: number,
): Promise<LoadedCommit[]> {
  const loadedCommits = await withReader(git, repository, ids[0]!, async (reader) => {
    const commits: LoadedCommit[] = [];
    let remainingBytes = maxTotalBytes;
    reader.send(ids.map((id) => `contents ${id}\n`).join(''));
    for (const _ of ids) {
      const info = parseInfo(await reader.readLine());
      if (info === null) continue;
      const bytes = info.type === 'commit' ? Math.min(info.size, MAX_COMMIT) : 0;
      const content = await reader.readBytes(bytes);
      await reader.skip(info.size - bytes + 1);
      if (info.type !== 'commit') continue;
      remainingBytes -= content.length;
      const isWhole = remainingBytes >= 0 || content.length <= MIN_TRUNCATABLE_MESSAGE;
      const maxBytes = isWhole ? MAX_MESSAGE : TRUNCATED_MESSAGE;
      commits.push({ commit: parseTruncated(info, content, maxBytes), isWhole });
    }
    return commits;
  });
  return loadedCommits ?? [];
}

/**
 * Parses a commit with at most `maxBytes` bytes of its message. Copies it, because a substring would keep the whole text in
 * memory.
 */
function parseTruncated({ id, size }: ObjectInfo, content: Buffer, maxBytes: number): Commit {
  const messageStart = content.indexOf('\n\n') + 2;
  // Below 2 there is no message. Four more bytes, so that no character is split.
  const commit = parseCommit(id, messageStart < 2 ? content : content.subarray(0, messageStart + maxBytes + 4));
  const message = truncateToBytes(commit.message, maxBytes);
  return content.length < size || content.length > messageStart + maxBytes || message !== commit.message
    ? { ...commit, message, isTruncated: true }
    : commit;
}

function streamContent(git: Git, repository: Repository, info: ObjectInfo): Readable {
  async function* streamChunks(): AsyncGenerator<Buffer> {
    const release = await streamLimiter(git).acquire(git);
    const child = spawnGit(git, repository, 'cat-file', { args: [info.type, info.id] });
    try {
      child.stdin.end();
      for await (const chunk of child.stdout) yield chunk as Buffer;
      const exit = await child.done;
      if (!exit.ok) throw new GitError('cat-file', exit.failure);
    } finally {
      child.kill();
      release();
    }
  }
  return Readable.from(streamChunks(), { objectMode: false });
}

import type { BigIntStats } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { definePerGit, type Git } from '../git.ts';
import type { ObjectType } from '../objects/object-parser.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import { readGitOutput } from '../process/spawn.ts';
import { decodeName, HEADS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists, syncDirectory } from '../storage/storage.ts';

/** Object id that means "no ref" in an update. */
export const ZERO_ID = '0'.repeat(40);

/** Returns whether a text consists of forty hexadecimal digits. */
export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/i.test(text);
}

/**
 * Returns whether a name begins like an id. Such branch names are reserved, because they would resolve to the object.
 */
export function startsWithSha(name: string): boolean {
  return isSha(name.slice(0, 40));
}

/** Returns whether a tag name could be mistaken for an object id (SHA-1 or SHA-256). */
export function looksLikeObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name);
}

/** Returns whether `refs/heads/<name>` may be created (contract/repository.md §2 "Valid branch name"). */
export function isValidBranchName(name: string): boolean {
  return (
    name !== 'HEAD' && !/^(?:-|refs\/heads\/|refs\/remotes\/)/.test(name) && isValidRefPath(name, MAX_REF_NAME_BYTES)
  );
}

/** Returns whether `refs/tags/<name>` may be created; the rules are those of branches. */
export function isValidTagName(name: string): boolean {
  return isValidBranchName(name);
}

/** Returns whether git accepts a full name (`refs/...`). */
export function isValidRefName(ref: string): boolean {
  return ref.startsWith('refs/') && isValidRefPath(ref, MAX_REF_NAME_BYTES + HEADS.length);
}

/** Returns whether a push may create this ref outside branches and tags. git requires a directory below `refs/`. */
export function isValidPushedRefName(ref: string): boolean {
  return isValidRefName(ref) && ref.split('/').length > 2;
}

/** Maximum length of a name in bytes: `refs/heads/<name>.lock` and each of its segments must be valid file names. */
export const MAX_REF_NAME_BYTES = 1024;
const MAX_SEGMENT_BYTES = 250;

/** Returns whether git accepts a path after `refs/heads/` or `refs/`. */
function isValidRefPath(path: string, maxBytes: number): boolean {
  if (path === '' || path.endsWith('.') || /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(path) || !path.isWellFormed())
    return false;
  if (Buffer.byteLength(path) > maxBytes) return false;
  return path.split('/').every(isValidSegment);
}

function isValidSegment(segment: string): boolean {
  if (segment === '' || segment.startsWith('.') || segment.endsWith('.lock')) return false;
  return Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES;
}

/**
 * Returns the object id of a full ref name (of an annotated tag: the tag object); null if there is no such ref. Reads
 * the loose ref, then packed-refs, as git does. Starts no process.
 */
export async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
  let name = ref;
  for (let depth = 0; depth < 5; depth += 1) {
    if (!isValidRefName(name)) return null;
    const loose = await readLooseRef(repository, name);
    if (loose === null) return readPackedRef(repository, name);
    if (!loose.startsWith('ref: ')) return loose;
    name = loose.slice('ref: '.length).trim();
  }
  return null;
}

/**
 * Returns the branch that HEAD names (the default branch), whether it exists or not; null if the repository does not
 * exist.
 */
export async function findHeadBranch(repository: Repository): Promise<string | null> {
  const text = await readFile(join(repository.directory, 'HEAD'), 'utf8').catch(() => null);
  const prefix = `ref: ${HEADS}`;
  return text?.startsWith(prefix) ? text.slice(prefix.length).trimEnd() || null : null;
}

/** Sets HEAD to a branch, which must be valid but need not exist. Durable when it returns. */
export async function setHead(git: Git, repository: Repository, branch: string): Promise<void> {
  if (!isValidBranchName(branch)) throw new Error(`HEAD cannot name ${JSON.stringify(branch)}`);
  await readGitOutput(git, repository, 'symbolic-ref', { args: ['HEAD', HEADS + branch] });
  await syncDirectory(repository.directory);
}

/** A ref in a list. */
export interface Ref {
  /** Full name; see `ref-names.ts` for bytes that are not UTF-8. */
  readonly name: string;
  readonly id: string;
  readonly type: ObjectType;
  /** The commit of the ref, or the target of an annotated tag; null if the object is not a commit. */
  readonly commitId: string | null;
  /** Tagger date of an annotated tag in Unix seconds; null for others. */
  readonly taggedAt: number | null;
  /** Committer date of that commit in Unix seconds, 0 if there is none; the order of `updated_desc`. */
  readonly committedAt: number;
}

const refListCache = definePerGit(
  () =>
    new LRUCache<string, readonly Ref[]>({
      maxSize: 200_000,
      sizeCalculation: (refs) => refs.length + 1,
    }),
);

/**
 * Returns all refs below a prefix (`refs/heads/`, `refs/tags/`), ordered bytewise by name. With the ref-state `version`
 * that the caller has read in this request, the list is cached per version.
 */
export async function listRefs(
  git: Git,
  repository: Repository,
  prefix: string,
  version?: string,
): Promise<readonly Ref[]> {
  if (version === undefined) return loadRefs(git, repository, prefix);
  const key = `${repository.directory} ${prefix} ${version}`;
  const cached = refListCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `refs ${key}`, async (sharedGit) => {
    const refs = await loadRefs(sharedGit, repository, prefix);
    refListCache(git).set(key, refs);
    return refs;
  });
}

const REF_FORMAT = [
  '%(objectname)',
  '%(objecttype)',
  '%(*objectname)',
  '%(*objecttype)',
  '%(taggerdate:unix)',
  '%(committerdate:unix)',
  '%(*committerdate:unix)',
  '%(refname)',
].join('%09');

async function loadRefs(git: Git, repository: Repository, prefix: string): Promise<readonly Ref[]> {
  if (!(await repositoryExists(repository))) return [];
  const flags = [`--format=${REF_FORMAT}`];
  const refs: Ref[] = [];
  const addRef = (line: Buffer): unknown => refs.push(parseRef(line));
  const exit = await forEachLine(git, repository, 'for-each-ref', { flags, args: [prefix] }, {}, addRef);
  if (!exit.ok) throw new GitError('for-each-ref', exit.failure);
  return refs;
}

function parseRef(line: Buffer): Ref {
  const nameStart = line.lastIndexOf(0x09) + 1;
  const fields = line.toString('latin1', 0, nameStart).split('\t');
  const [id, type, peeledId, peeledType, taggedAt, committedAt, peeledCommittedAt] = fields;
  return {
    name: decodeName(line.subarray(nameStart)),
    id: id!,
    type: type as ObjectType,
    commitId: type === 'commit' ? id! : peeledType === 'commit' ? peeledId! : null,
    taggedAt: taggedAt ? Number(taggedAt) : null,
    committedAt: Number(committedAt || peeledCommittedAt || 0),
  };
}

/**
 * Returns the directories that creating, moving or removing this ref may change, for `syncDirectory`. `refs/heads` and
 * `refs/tags` always exist: a ref directly in them changes nothing above unless it is removed.
 */
export function listRefDirectories(repository: Repository, ref: string, removed: boolean): string[] {
  const parent = dirname(ref);
  if (!removed && (parent === 'refs/heads' || parent === 'refs/tags')) return [join(repository.directory, parent)];
  const directories = [repository.directory];
  for (let directory = parent; directory !== '.'; directory = dirname(directory))
    directories.push(join(repository.directory, directory));
  return directories;
}

/**
 * Returns the text of a loose ref: an object id, or `ref: ` and another ref. Null if there is no such file. The caller
 * must have validated the name, so that the path stays inside the repository.
 */
export async function readLooseRef(repository: Repository, ref: string): Promise<string | null> {
  const text = (await readFile(join(repository.directory, ref), 'utf8').catch(nullIfMissing))?.trim() ?? '';
  return /^[0-9a-f]{40}$/.test(text) || text.startsWith('ref: ') ? text : null;
}

interface PackedRefs {
  /** Identity of the file (inode, size, timestamps): git replaces the file instead of writing into it. */
  readonly version: string;
  readonly content: Buffer;
  readonly sorted: boolean;
}

/** Cache of packed-refs files. The identity of the file is compared at every use, so that an entry is never stale. */
const packedRefsCache = new LRUCache<string, PackedRefs>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (packed) => packed.content.length + 256,
});

/** Returns the object id of a ref in packed-refs, or null. */
async function readPackedRef(repository: Repository, ref: string): Promise<string | null> {
  const packed = await readPackedRefs(join(repository.directory, 'packed-refs'));
  if (packed === null) return null;
  const name = Buffer.from(ref);
  return packed.sorted ? searchSorted(packed.content, name) : searchAll(packed.content, name);
}

async function readPackedRefs(path: string): Promise<PackedRefs | null> {
  const status = await stat(path, { bigint: true }).catch(nullIfMissing);
  if (status === null) return null;
  const cached = packedRefsCache.get(path);
  if (cached?.version === toFileVersion(status)) return cached;
  const file = await open(path, 'r').catch(nullIfMissing);
  if (file === null) return null;
  try {
    const version = toFileVersion(await file.stat({ bigint: true }));
    const content = await file.readFile();
    const header = content.toString('latin1', 0, Math.max(0, content.indexOf(0x0a)));
    const packed = { version, content, sorted: header.startsWith('# pack-refs') && header.includes(' sorted') };
    packedRefsCache.set(path, packed);
    return packed;
  } finally {
    await file.close();
  }
}

/** Returns null for a missing file, also if its parent is a file or its name is too long; rethrows other errors. */
function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}

function toFileVersion(status: BigIntStats): string {
  return [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ');
}

/** Searches by bisection. Lines are `<id> <ref>`, `^<id of the peeled tag above>` or begin with `#`. */
function searchSorted(content: Buffer, name: Buffer): string | null {
  let low = content[0] === 0x23 ? content.indexOf(0x0a) + 1 : 0;
  let high = content.length;
  while (low < high) {
    let start = findLineStart(content, low, (low + high) >> 1);
    if (content[start] === 0x5e) start = findLineStart(content, low, start - 1);
    const end = content.indexOf(0x0a, start);
    const order = Buffer.compare(name, content.subarray(start + 41, end));
    if (order === 0) return content.toString('latin1', start, start + 40);
    if (order < 0) high = start;
    else low = content[end + 1] === 0x5e ? content.indexOf(0x0a, end + 1) + 1 : end + 1;
  }
  return null;
}

function findLineStart(content: Buffer, lowest: number, offset: number): number {
  return offset <= lowest ? lowest : Math.max(lowest, content.lastIndexOf(0x0a, offset - 1) + 1);
}

function searchAll(content: Buffer, name: Buffer): string | null {
  const needle = Buffer.concat([Buffer.from(' '), name, Buffer.from('\n')]);
  const offset = content.indexOf(needle);
  return offset < 40 ? null : content.toString('latin1', offset - 40, offset);
}

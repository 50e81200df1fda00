import { readFile } from 'node:fs/promises';
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
import { readLooseRef, readPackedRef } from './ref-files.ts';

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
  /** The commit of the ref, or the target of an annotated tag; null if the object is no commit. */
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

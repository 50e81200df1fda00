import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { getObjectInfo } from '../objects/object-reader.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { findHeadBranch, resolveRef } from './refs.ts';

/** `(directory) (object id)(suffixes)` -> commit id. Entries never become stale. */
const peeledCache = definePerGit(() => createBoundedCache<string>(20_000));

/**
 * Returns the commit of a revision (contract/repository.md §0 "Ref resolution"); null if it names none.
 *
 * Forty digits are always an id. Then come HEAD (the default branch), full names, tags before branches, and abbreviated
 * ids of at least four digits. Each may be followed by `~2`, `^`, `^2`... Text that begins with `-` or contains `:`,
 * NUL or white space is rejected without asking git.
 */
export async function resolveRevision(git: Git, repository: Repository, text: string): Promise<string | null> {
  if (text.startsWith('-') || /[:\0\s]/.test(text)) return null;
  // No name contains these characters, so the suffixes begin at the first of them.
  const end = text.search(/[~^]/);
  const [base, suffixes] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  if (base === '' || suffixes.length > MAX_SUFFIXES_LENGTH || !SUFFIXES_PATTERN.test(suffixes)) return null;
  const id = await resolveBase(git, repository, base);
  return id === null ? null : peelTo(git, repository, id, suffixes);
}

/** Maximum length of the suffixes in characters. A longer `^^^…` can be written as `~1000`. */
const MAX_SUFFIXES_LENGTH = 1024;

const SUFFIXES_PATTERN = /^(?:[~^]\d{0,9}|\^\{(?:commit|object)?\})*$/;

const revisionCache = definePerGit(() => createBoundedCache<{ readonly id: string | null }>(50_000));

/** Maximum length of a cached text in characters: 50,000 of the longest that requests contain would take 200 MB. */
const MAX_CACHED_LENGTH = 255;

/**
 * As `resolveRevision`, cached under the repository's ref-state version, which the caller has read in this request.
 * The version changes whenever a ref moves.
 */
export async function resolveRevisionAtVersion(
  git: Git,
  repository: Repository,
  text: string,
  version: string,
): Promise<string | null> {
  if (text.length > MAX_CACHED_LENGTH) return resolveRevision(git, repository, text);
  const key = `${repository.directory} ${version} ${text}`;
  const cached = revisionCache(git).get(key);
  if (cached !== undefined) return cached.id;
  const id = await resolveRevision(git, repository, text);
  revisionCache(git).set(key, { id });
  return id;
}

/** Returns the commit id of a branch, or null. Only `refs/heads/<name>` is read. */
export async function findBranchHead(repository: Repository, name: string): Promise<string | null> {
  return resolveRef(repository, HEADS + name);
}

async function resolveBase(git: Git, repository: Repository, base: string): Promise<string | null> {
  if (/^[0-9a-f]{40}$/i.test(base)) return base.toLowerCase();
  const refs = await listCandidateRefs(repository, base);
  const ids = await Promise.all(refs.map((ref) => resolveRef(repository, ref)));
  const id = ids.find((refId) => refId !== null);
  if (id !== undefined) return id;
  if (!/^[0-9a-f]{4,39}$/i.test(base)) return null;
  const commit = await getObjectInfo(git, repository, `${base.toLowerCase()}^{commit}`);
  return commit?.id ?? null;
}

async function listCandidateRefs(repository: Repository, base: string): Promise<string[]> {
  if (base === 'HEAD') {
    const branch = repository.head ?? (await findHeadBranch(repository));
    return branch === null ? [] : [HEADS + branch];
  }
  const explicit = base.startsWith('refs/') ? [base] : /^(?:heads|tags)\//.test(base) ? [`refs/${base}`] : [];
  return [...explicit, TAGS + base, HEADS + base];
}

async function peelTo(git: Git, repository: Repository, id: string, suffixes: string): Promise<string | null> {
  const key = `${repository.directory} ${id}${suffixes}`;
  const cached = peeledCache(git).get(key);
  if (cached !== undefined) return cached;
  const commit = await getObjectInfo(git, repository, `${id}${suffixes}^{commit}`);
  if (commit === null) return null;
  peeledCache(git).set(key, commit.id);
  return commit.id;
}

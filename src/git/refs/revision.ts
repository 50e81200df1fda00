import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { objectInfo } from '../objects/object-reader.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { headTarget, resolveRef } from './refs.ts';

/** `(object id)(suffixes)` -> commit id. What ids lead to never changes. */
const peeled = ownedBy(() => keptAtMost<string>(20_000));

/**
 * The commit that a revision names at this moment (contract: repository.md section 0, "Ref resolution"); null when it
 * names none. Forty digits are an id whatever refs there are; then HEAD (the default branch), full names, tags before
 * branches, an abbreviated id of four digits or more; each may be followed by `~2`, `^`, `^2`... Text that begins with
 * `-`, or holds `:`, NUL or white space, is refused without asking git.
 */
export async function resolveRevision(git: Git, repository: Repository, text: string): Promise<string | null> {
  if (text.startsWith('-') || /[:\0\s]/.test(text)) return null;
  // No name has these two, so that suffixes begin with the first of them.
  const end = text.search(/[~^]/);
  const [base, suffixes] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  if (base === '' || suffixes.length > LONGEST_SUFFIXES || !areSuffixes.test(suffixes)) return null;
  const id = await resolveBase(git, repository, base);
  return id === null ? null : peelTo(git, repository, id, suffixes);
}

/** `^^^…` of a thousand generations is `~1000`. */
const LONGEST_SUFFIXES = 1024;

const areSuffixes = /^(?:[~^]\d{0,9}|\^\{(?:commit|object)?\})*$/;

const resolved = ownedBy(() => keptAtMost<{ readonly id: string | null }>(50_000));

/**
 * As `resolveRevision`, for whoever has read the repository's ref-state version in this request: refs move only with it,
 * so that what a revision names is remembered for as long as the version stays.
 */
export async function resolveRevisionAt(
  git: Git,
  repository: Repository,
  text: string,
  version: string,
): Promise<string | null> {
  const key = `${repository.directory} ${version} ${text}`;
  const known = resolved(git).get(key);
  if (known !== undefined) return known.id;
  const id = await resolveRevision(git, repository, text);
  resolved(git).set(key, { id });
  return id;
}

/** The branch of this name at this moment: its commit's id, or null. Nothing but `refs/heads/<name>` is looked at. */
export async function branchTip(repository: Repository, name: string): Promise<string | null> {
  return resolveRef(repository, HEADS + name);
}

async function resolveBase(git: Git, repository: Repository, base: string): Promise<string | null> {
  if (/^[0-9a-f]{40}$/i.test(base)) return base.toLowerCase();
  const refs = await refsFor(repository, base);
  const ids = await Promise.all(refs.map((ref) => resolveRef(repository, ref)));
  const id = ids.find((found) => found !== null);
  if (id !== undefined) return id;
  if (!/^[0-9a-f]{4,39}$/i.test(base)) return null;
  const found = await objectInfo(git, repository, `${base.toLowerCase()}^{commit}`);
  return found?.id ?? null;
}

async function refsFor(repository: Repository, base: string): Promise<string[]> {
  if (base === 'HEAD') {
    const branch = repository.head ?? (await headTarget(repository));
    return branch === null ? [] : [HEADS + branch];
  }
  const explicit = base.startsWith('refs/') ? [base] : /^(?:heads|tags)\//.test(base) ? [`refs/${base}`] : [];
  return [...explicit, TAGS + base, HEADS + base];
}

async function peelTo(git: Git, repository: Repository, id: string, suffixes: string): Promise<string | null> {
  const key = `${repository.directory} ${id}${suffixes}`;
  const known = peeled(git).get(key);
  if (known !== undefined) return known;
  const found = await objectInfo(git, repository, `${id}${suffixes}^{commit}`);
  if (found === null) return null;
  peeled(git).set(key, found.id);
  return found.id;
}

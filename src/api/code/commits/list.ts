import { listCommits, type Revisions } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { historyWalkLimiter } from '#git/trees/path-entries.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { pathText, refName, searchExpression } from '#http/parameters/texts.ts';
import { boolean, dateTime, oneOf } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { CommitRow } from './entities.ts';

export const listCommitsParams = {
  ref_name: describe(
    optional(refName),
    'Branch, tag, commit, or a range `a..b`: the commits of `b` that `a` lacks. Absent: the default branch.',
  ),
  since: describe(optional(dateTime), 'Only commits committed then or later.'),
  until: describe(optional(dateTime), 'Only commits committed then or earlier.'),
  path: describe(optional(pathText), 'Only commits that change this file or folder.'),
  author: describe(optional(searchExpression), 'Part of the name or email address of the author.'),
  all: describe(optional(boolean, false), 'The commits of all branches and tags; `ref_name` is ignored.'),
  with_stats: describe(optional(boolean, false), 'Adds `stats`, the numbers of changed lines.'),
  first_parent: describe(optional(boolean, false), 'Follows only the first parent of merge commits.'),
  order: describe(
    optional(oneOf('default', 'topo'), 'default'),
    '`topo` lists no parent before all its children, and does not mix lines of history.',
  ),
  trailers: describe(optional(boolean, false), 'Fills `trailers` and `extended_trailers` from the messages.'),
};

type CommitFilter = ParameterValues<typeof listCommitsParams>;

const EMPTY_PAGE: ListPage<never> = { items: [], total: null, hasMore: false };

/** Maximum of git's `--skip`, a 32-bit integer. */
const MAX_SKIP = 2 ** 31 - 1;

/**
 * Returns a page of commits, newest first, without a total (contract/repository.md §4). An unknown ref gives an empty
 * page.
 */
export async function loadCommitPage(
  git: Git,
  project: CommitRow['project'],
  filter: CommitFilter,
  { page, perPage }: OffsetRequest,
): Promise<ListPage<CommitRow> | Failure<'refInvalid'>> {
  const name = filter.ref_name ?? '';
  if (isInvalidRef(name)) return fail('refInvalid');
  const path = (filter.path ?? '').replace(/^\/+/, '');
  const skip = (page - 1) * perPage;
  if (isUnmatchablePath(path) || skip > MAX_SKIP) return EMPTY_PAGE;
  const repository = getRepository(git, project);
  const revisions = filter.all ? 'all' : await resolveRevisions(git, repository, name.trim() || 'HEAD');
  if (revisions === null) return EMPTY_PAGE;
  const options = { ...toListOptions(filter), revisions, path, skip, limit: perPage + 1 };
  const list = () => listCommits(git, repository, options);
  const ids = await (isExpensive(filter, options) ? historyWalkLimiter(git).run(list, git) : list());
  const commits = await readCommits(git, repository, ids.slice(0, perPage));
  const items = commits.flatMap((commit) => (commit === null ? [] : [{ commit, project }]));
  return { items, total: null, hasMore: ids.length > perPage };
}

/** Number of skipped commits that git still reads within milliseconds. */
const MAX_CHEAP_SKIP = 1000;

/** Returns whether git may have to read much more of the history than the commits of the page. */
function isExpensive(
  { author, until, order }: CommitFilter,
  { revisions, path, skip }: { readonly revisions: Revisions; readonly path: string; readonly skip: number },
): boolean {
  const isRange = revisions !== 'all' && revisions.exclude !== undefined;
  return Boolean(path || author || until) || order === 'topo' || isRange || skip > MAX_CHEAP_SKIP;
}

/** Returns whether git would take the name for an option, or whether it contains white space. */
function isInvalidRef(name: string): boolean {
  return name.startsWith('-') || (name.trim() !== '' && /\s/.test(name));
}

/** Returns whether git would reject the path or interpret it instead of taking it literally. No file has such a path. */
function isUnmatchablePath(path: string): boolean {
  return !path.isWellFormed() || path.split('/').some((part) => part === '.' || part === '..');
}

function toListOptions({ since, until, author, first_parent, order }: CommitFilter) {
  return {
    since: toUnixSeconds(since),
    until: toUnixSeconds(until),
    author: author ?? undefined,
    firstParent: first_parent,
    order,
  };
}

function toUnixSeconds(timestamp: string | null | undefined): number | undefined {
  return timestamp ? Date.parse(timestamp) / 1000 : undefined;
}

/**
 * Resolves a revision or a range. `a..b` means the commits of `b` without those of `a`; an omitted side is the default
 * branch.
 */
async function resolveRevisions(git: Git, repository: Repository, name: string): Promise<Revisions | null> {
  const [from, to = null] = splitRange(name);
  const included = await resolveRevision(git, repository, (to ?? from) || 'HEAD');
  if (included === null) return null;
  if (to === null) return { include: [included] };
  const excluded = await resolveRevision(git, repository, from || 'HEAD');
  return excluded === null ? null : { include: [included], exclude: [excluded] };
}

/** Splits `a..b`. Ref names cannot contain two dots. */
function splitRange(name: string): [from: string, to?: string] {
  const separatorIndex = name.indexOf('..');
  return separatorIndex === -1 ? [name] : [name.slice(0, separatorIndex), name.slice(separatorIndex + 2)];
}

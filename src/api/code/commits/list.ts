import { listCommits, type Revisions } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { walks } from '#git/trees/path-entries.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { CommitRow } from './entities.ts';

interface CommitFilter {
  readonly ref_name?: string | null | undefined;
  readonly since?: string | null | undefined;
  readonly until?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly author?: string | null | undefined;
  readonly all: boolean;
  readonly first_parent: boolean;
  readonly order: 'default' | 'topo';
}

const NONE: Page<never> = { items: [], total: null, more: false };

/** git counts what it skips in 32 bits; no history is that long. */
const DEEPEST = 2 ** 31 - 1;

/** A page of commits, newest first; nobody counts them all (contract/repository.md §4). An unknown ref has none. */
export async function commitPage(
  git: Git,
  project: CommitRow['project'],
  filter: CommitFilter,
  { page, perPage }: OffsetRequest,
): Promise<Page<CommitRow> | Failure<'refInvalid'>> {
  const name = filter.ref_name ?? '';
  if (isInvalid(name)) return fail('refInvalid');
  const path = (filter.path ?? '').replace(/^\/+/, '');
  const skip = (page - 1) * perPage;
  if (leadsNowhere(path) || skip > DEEPEST) return NONE;
  const repository = repositoryOf(git, project);
  const revisions = filter.all ? 'all' : await revisionsOf(git, repository, name.trim() || 'HEAD');
  if (revisions === null) return NONE;
  const asked = { ...options(filter), revisions, path, skip, limit: perPage + 1 };
  const dear = path !== '' || Boolean(filter.author);
  const list = () => listCommits(git, repository, asked);
  const ids = await (dear ? walks(git).enter(list, git) : list());
  const commits = await readCommits(git, repository, ids.slice(0, perPage));
  const items = commits.flatMap((commit) => (commit === null ? [] : [{ commit, project }]));
  return { items, total: null, more: ids.length > perPage };
}

function isInvalid(name: string): boolean {
  return name.startsWith('-') || (name.trim() !== '' && /\s/.test(name));
}

/** git would make something else of such a path, or refuse it; taken literally nothing stands there. */
function leadsNowhere(path: string): boolean {
  return !path.isWellFormed() || path.split('/').some((part) => part === '.' || part === '..');
}

function options({ since, until, author, first_parent, order }: CommitFilter) {
  return {
    since: seconds(since),
    until: seconds(until),
    author: author ?? undefined,
    firstParent: first_parent,
    order,
  };
}

function seconds(moment: string | null | undefined): number | undefined {
  return moment ? Date.parse(moment) / 1000 : undefined;
}

/** `a..b`: what `b` reaches and `a` does not; a side that is left out is the default branch. */
async function revisionsOf(git: Git, repository: Repository, name: string): Promise<Revisions | null> {
  const [from, to = null] = splitRange(name);
  const begin = await resolveRevision(git, repository, (to ?? from) || 'HEAD');
  if (begin === null) return null;
  if (to === null) return { include: [begin] };
  const end = await resolveRevision(git, repository, from || 'HEAD');
  return end === null ? null : { include: [begin], exclude: [end] };
}

/** No ref has two dots in its name. */
function splitRange(name: string): [from: string, to?: string] {
  const at = name.indexOf('..');
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 2)];
}

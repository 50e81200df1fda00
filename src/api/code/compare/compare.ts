import { LRUCache } from 'lru-cache';
import { mergeBase } from '../../../git/ancestry.ts';
import { type Diff, diffBetween } from '../../../git/diff.ts';
import { walks } from '../../../git/files.ts';
import { type Git, ownedBy } from '../../../git/git.ts';
import { listCommits } from '../../../git/log.ts';
import { type Commit, readCommits } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { keptAtMost } from '../../../kept.ts';
import { type Refused, refused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { CommitRow } from '../commits/index.ts';

/** Of more commits than this the oldest are left out, and the answer says so. */
const MOST_COMMITS = 10_000;

export interface Comparison {
  readonly project: CommitRow['project'];
  /** Where the diff begins: the merge base, or `from` itself when the comparison is straight or there is none. */
  readonly base: string;
  readonly head: string;
  readonly straight: boolean;
  readonly same: boolean;
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly diff: Diff;
  /** Something was left out, of the commits or of the files. */
  readonly cut: boolean;
}

interface CompareQuestion {
  readonly from: string;
  readonly to: string;
  /** From `from` itself, and not from where the two parted. */
  readonly straight: boolean;
}

/** What `to` has and `from` has not. Names are resolved now; what lies below the two commits is remembered. */
export async function compareRevisions(
  git: Git,
  project: CommitRow['project'],
  { from, to, straight }: CompareQuestion,
): Promise<Comparison | Refused<'refUnknown'>> {
  const repository = repositoryOf(git, project);
  const [start, head] = await Promise.all([from, to].map((name) => resolveRevision(git, repository, name)));
  if (!start || !head) return refused('refUnknown');
  const asked = { project, head, straight };
  if (start === head) return { ...asked, base: start, same: true, commits: [], diff: NO_DIFF, cut: false };
  const [ids, parted] = await Promise.all([
    commitsBetween(git, repository, start, head),
    straight ? start : partingOf(git, repository, start, head),
  ]);
  const diff = await diffBetween(git, repository, parted, head);
  const commits = await readCommits(git, repository, ids.slice(-MOST_COMMITS));
  return {
    ...asked,
    base: parted ?? start,
    same: false,
    commits: commits.filter((commit) => commit !== null),
    diff,
    cut: ids.length > MOST_COMMITS || diff.overflow || diff.files.some(({ collapsed }) => collapsed),
  };
}

const NO_DIFF: Diff = { files: [], overflow: false };

const ranges = ownedBy(
  () => new LRUCache<string, readonly string[]>({ maxSize: 100_000, sizeCalculation: (ids) => ids.length + 1 }),
);

/** Ids, oldest first; one more than are shown tells that there are more. */
async function commitsBetween(git: Git, repository: Repository, from: string, to: string): Promise<readonly string[]> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = ranges(git).get(key);
  if (known !== undefined) return known;
  const revisions = { include: [to], exclude: [from] };
  const list = () => listCommits(git, repository, { revisions, limit: MOST_COMMITS + 1 });
  const newestFirst = await walks(git).enter(list, git);
  const ids = newestFirst.reverse();
  ranges(git).set(key, ids);
  return ids;
}

const partings = ownedBy(() => keptAtMost<{ readonly id: string | null }>(10_000));

/** The merge base; null: the histories are unrelated, so that everything in `to` is new. */
async function partingOf(git: Git, repository: Repository, from: string, to: string): Promise<string | null> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = partings(git).get(key);
  if (known !== undefined) return known.id;
  const id = await mergeBase(git, repository, [from, to]);
  partings(git).set(key, { id });
  return id;
}

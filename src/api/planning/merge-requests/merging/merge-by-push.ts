import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import type { Merge } from '#events/domain-events.ts';
import { findSharedMergeBase, listCommitsBetween, MAX_COMMITS_BETWEEN } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defineJob } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { markMerged } from './mark-merged.ts';

interface PushedBranches {
  readonly projectId: number;
  readonly userId: number | null;
  /** Branches that existed before and after the push. */
  readonly changes: readonly RefChange[];
}

/** Marks merge requests as merged whose heads were pushed to their target branch. */
export const markMergedByPush = defineJob({
  kind: 'merge_requests_by_push',
  async handle({ database, git, runUnitOfWork }: RefServices, { projectId, userId, changes }: PushedBranches) {
    const db = database.reader;
    const project = await findRepository(db, projectId);
    if (project === undefined) return;
    const caller = await loadActor(db, userId);
    for (const change of changes) {
      for await (const merge of findMerges(db, git, project, change)) {
        await runUnitOfWork(caller, (uow) =>
          markMerged(uow, { ...merge, userId: caller.user?.id ?? null, requiredHead: merge.head }),
        );
      }
    }
  },
});

type PushedRepository = LocatedRepository & { readonly project_id: number };

/** index: repositories primary key */
function findRepository(db: Reader, projectId: number): Promise<PushedRepository | undefined> {
  return db
    .selectFrom('repositories')
    .select(['project_id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

interface PushedMerge extends Merge {
  readonly head: string;
}

/** Yields the merges that a push contains. Scans at most `MAX_COMMITS_BETWEEN` commits, the newest ones. */
async function* findMerges(
  db: Reader,
  git: Git,
  project: PushedRepository,
  { ref, oldId, newId }: RefChange,
): AsyncGenerator<PushedMerge> {
  const repository = getRepository(git, project);
  const commitIds = (await listCommitsBetween(git, repository, oldId, newId)).slice(-MAX_COMMITS_BETWEEN);
  const openMergeRequests = await listOpenWithHead(db, project.project_id, ref.slice(HEADS.length), commitIds);
  if (openMergeRequests.length === 0) return;
  const mergeCommits = await findMergeCommits(git, project, commitIds);
  for (const { id, head_sha: head } of openMergeRequests) {
    const base = await findSharedMergeBase(git, repository, oldId, head);
    if (base === null) continue;
    yield {
      mergeRequestId: id,
      head,
      ref,
      newId,
      mergeCommit: mergeCommits.get(head) ?? head,
      squashCommit: null,
      base,
      start: oldId,
      shouldRemoveSourceBranch: null,
    };
  }
}

/** Lists the open merge requests into this branch with one of these heads. index: merge_requests_open_by_target */
function listOpenWithHead(db: Reader, projectId: number, target: string, heads: readonly string[]) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('target_branch', '=', target)
    .where('state', '=', sql.lit('opened' as const))
    .where(isInTexts(db, sql<string>`head_sha`, heads))
    .execute();
}

/** Returns the merge commits by merged head. Fast-forwarded heads have none. */
async function findMergeCommits(
  git: Git,
  project: PushedRepository,
  commitIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const commits = await readCommits(git, getRepository(git, project), commitIds);
  return new Map(
    commits.flatMap((commit) => (commit?.parentIds ?? []).slice(1).map((head): [string, string] => [head, commit!.id])),
  );
}

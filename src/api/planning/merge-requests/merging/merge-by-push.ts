import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isAmongTexts } from '#database/dialect.ts';
import type { Merge } from '#events/domain-events.ts';
import { commitsBetween, MOST_COMMITS_BETWEEN, partingOf } from '#git/commits/commits-between.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defineJob } from '#jobs/job.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { markMerged } from './mark-merged.ts';

interface Pushed {
  readonly projectId: number;
  readonly userId: number | null;
  /** Branches that were there before and still are. */
  readonly changes: readonly RefChange[];
}

/** Who merges by hand pushes what he has merged: the merge requests whose heads are among it are merged. */
export const mergeByPush = defineJob({
  kind: 'merge_requests_by_push',
  async handle({ database, git, runUnitOfWork }: RefServices, { projectId, userId, changes }: Pushed) {
    const db = database.reader;
    const project = await placeOf(db, projectId);
    if (project === undefined) return;
    const by = await actorOf(db, userId);
    for (const change of changes) {
      for await (const merge of mergesIn(db, git, project, change)) {
        await runUnitOfWork(by, (uow) =>
          markMerged(uow, { ...merge, userId: by.user?.id ?? null, ifHead: merge.head }),
        );
      }
    }
  },
});

type Place = Placed & { readonly project_id: number };

/** index: repositories primary key */
function placeOf(db: Reader, projectId: number): Promise<Place | undefined> {
  return db
    .selectFrom('repositories')
    .select(['project_id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

interface MergeByPush extends Merge {
  readonly head: string;
}

/** One after another as they are found; of a push with very many commits the newest are looked at. */
async function* mergesIn(
  db: Reader,
  git: Git,
  project: Place,
  { ref, oldId, newId }: RefChange,
): AsyncGenerator<MergeByPush> {
  const repository = repositoryOf(git, project);
  const ids = (await commitsBetween(git, repository, oldId, newId)).slice(-MOST_COMMITS_BETWEEN);
  const open = await openWithHead(db, project.project_id, ref.slice(HEADS.length), ids);
  if (open.length === 0) return;
  const mergeCommits = await mergeCommitsOf(git, project, ids);
  for (const { id, head_sha: head } of open) {
    const base = await partingOf(git, repository, oldId, head);
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

/** index: merge_requests_open_by_target */
function openWithHead(db: Reader, projectId: number, target: string, heads: readonly string[]) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('target_branch', '=', target)
    .where('state', '=', sql.lit('opened' as const))
    .where(isAmongTexts(db, sql<string>`head_sha`, heads))
    .execute();
}

/** Of heads that were brought in beside what there was, by which commit; where nothing was beside it, it is the head itself. */
async function mergeCommitsOf(
  git: Git,
  project: Place,
  pushed: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const commits = await readCommits(git, repositoryOf(git, project), pushed);
  return new Map(
    commits.flatMap((commit) => (commit?.parentIds ?? []).slice(1).map((head): [string, string] => [head, commit!.id])),
  );
}

import { sql } from 'kysely';
import type { Database, Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { partingOf } from '#git/commits/commits-between.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { unlessOverLimit } from '#git/process/failures.ts';
import type { Repository } from '#git/repository.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { lookAtTarget } from '../merging/branch-comparison.ts';

/** What becomes of the heads of versions when the next one comes: each stays reachable (contract/planning.md §3.8 "Versions"). */

/** Versions that have come since somebody last saw to it, the oldest first. index: merge_requests_by_iid, merge_request_versions_by_merge_request */
export function notKept(db: Reader, projectId: number, iids: readonly number[]) {
  return db
    .selectFrom('merge_requests')
    .innerJoin('merge_request_versions as version', 'version.merge_request_id', 'merge_requests.id')
    .select(['version.id', 'merge_requests.iid', 'source_branch', 'target_branch'])
    .select(['merge_requests.state', 'merge_requests.merge_commit_sha', 'merge_requests.squash_commit_sha'])
    .select(['version.head_commit_sha as head_sha', 'version.start_commit_sha'])
    .where('merge_requests.project_id', '=', projectId)
    .where(isAmong(db, sql<number>`merge_requests.iid`, iids))
    .where('version.kept', '=', false)
    .orderBy('version.id')
    .execute();
}

export type NotKept = Awaited<ReturnType<typeof notKept>>[number];

/**
 * Those that a push has made are compared with the tip of their target branch as it is just after; one that was merged when it came
 * from another server, with what its merge has found there.
 */
export async function compareAtOnce(
  { database, git }: { readonly database: Database; readonly git: Git },
  project: Placed,
  versions: readonly NotKept[],
): Promise<void> {
  const compared: { id: number; start: string; base: string | null }[] = [];
  for (const version of versions) {
    if (version.start_commit_sha !== null) continue;
    const found = await unlessOverLimit(
      async () => (await lookAtMerge(git, project, version)) ?? lookAtTarget(git, project, version),
    );
    if (found?.target) compared.push({ id: version.id, start: found.target, base: found.base });
  }
  if (compared.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { id, start, base } of compared) {
      await tx
        .updateTable('merge_request_versions')
        .set({ start_commit_sha: start, base_commit_sha: base })
        .where('id', '=', id)
        .where('start_commit_sha', 'is', null)
        .execute();
    }
  });
}

/** What was there before the commit by which it was merged; null: it was not, or nobody knows by which. */
async function lookAtMerge(git: Git, project: Placed, version: NotKept) {
  const merge = version.merge_commit_sha ?? version.squash_commit_sha;
  if (version.state !== 'merged' || merge === null) return null;
  const repository = repositoryOf(git, project);
  const target = (await readCommit(git, repository, merge))?.parentIds[0];
  if (target === undefined || (await readCommit(git, repository, version.head_sha)) === null) return null;
  return { target, base: await partingOf(git, repository, target, version.head_sha) };
}

/** index: merge_request_versions primary key */
export async function markKept(database: Database, versions: readonly NotKept[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map(({ id }) => id);
  await database.transaction((tx) =>
    tx
      .updateTable('merge_request_versions')
      .set({ kept: true })
      .where(isAmong(tx, sql<number>`id`, ids))
      .execute(),
  );
}

/** Of heads that followed one another those that the next one does not reach. What is not there can't be kept. */
export async function leftBehind(
  git: Git,
  repository: Repository,
  heads: readonly string[],
): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for (const [at, next] of heads.entries()) {
    const head = heads[at - 1];
    if (head === undefined || head === next || (await readCommit(git, repository, head)) === null) continue;
    const nextIsThere = (await readCommit(git, repository, next)) !== null;
    const parting = nextIsThere ? await unlessOverLimit(() => partingOf(git, repository, head, next)) : null;
    if (parting !== head) left.add(head);
  }
  return left;
}

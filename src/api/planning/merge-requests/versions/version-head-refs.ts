import { sql } from 'kysely';
import type { Database, Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { findSharedMergeBase } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import type { Repository } from '#git/repository.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { compareWithTarget } from '../merging/branch-comparison.ts';

// Refs that keep the heads of older versions reachable, so that git does not prune them (contract/planning.md §3.8 "Versions").

/** Lists the versions whose refs were not updated yet, oldest first. index: merge_requests_by_iid, merge_request_versions_by_merge_request */
export function listVersionsWithoutRef(db: Reader, projectId: number, iids: readonly number[]) {
  return db
    .selectFrom('merge_requests')
    .innerJoin('merge_request_versions as version', 'version.merge_request_id', 'merge_requests.id')
    .select(['version.id', 'merge_requests.iid', 'source_branch', 'target_branch'])
    .select(['merge_requests.state', 'merge_requests.merge_commit_sha', 'merge_requests.squash_commit_sha'])
    .select(['version.head_commit_sha as head_sha', 'version.start_commit_sha'])
    .where('merge_requests.project_id', '=', projectId)
    .where(isInIds(db, sql<number>`merge_requests.iid`, iids))
    .where('version.kept', '=', false)
    .orderBy('version.id')
    .execute();
}

export type VersionWithoutRef = Awaited<ReturnType<typeof listVersionsWithoutRef>>[number];

/**
 * Stores the comparison of versions that have none. The other side is the head of the target branch or, for a merge request
 * imported as merged, the parent of its merge commit.
 */
export async function compareNewVersions(
  { database, git }: { readonly database: Database; readonly git: Git },
  project: LocatedRepository,
  versions: readonly VersionWithoutRef[],
): Promise<void> {
  const comparedVersions: { id: number; start: string; base: string | null }[] = [];
  for (const version of versions) {
    if (version.start_commit_sha !== null) continue;
    const comparison = await runOrNullIfOverLimit(
      async () => (await compareWithMergeParent(git, project, version)) ?? compareWithTarget(git, project, version),
    );
    if (comparison?.target) comparedVersions.push({ id: version.id, start: comparison.target, base: comparison.base });
  }
  if (comparedVersions.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { id, start, base } of comparedVersions) {
      await tx
        .updateTable('merge_request_versions')
        .set({ start_commit_sha: start, base_commit_sha: base })
        .where('id', '=', id)
        .where('start_commit_sha', 'is', null)
        .execute();
    }
  });
}

/** Compares a version with the first parent of its merge or squash commit. Returns null if it is not merged or the commit is unknown. */
async function compareWithMergeParent(git: Git, project: LocatedRepository, version: VersionWithoutRef) {
  const mergeCommitSha = version.merge_commit_sha ?? version.squash_commit_sha;
  if (version.state !== 'merged' || mergeCommitSha === null) return null;
  const repository = getRepository(git, project);
  const target = (await readCommit(git, repository, mergeCommitSha))?.parentIds[0];
  if (target === undefined || (await readCommit(git, repository, version.head_sha)) === null) return null;
  return { target, base: await findSharedMergeBase(git, repository, target, version.head_sha) };
}

/** Marks versions as retained: a ref now keeps their head reachable. index: merge_request_versions primary key */
export async function markVersionsRetained(database: Database, versions: readonly VersionWithoutRef[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map(({ id }) => id);
  await database.transaction((tx) =>
    tx
      .updateTable('merge_request_versions')
      .set({ kept: true })
      .where(isInIds(tx, sql<number>`id`, ids))
      .execute(),
  );
}

/** Returns the heads that are not reachable from their successor. Missing commits are skipped. */
export async function findUnreachableHeads(
  git: Git,
  repository: Repository,
  heads: readonly string[],
): Promise<ReadonlySet<string>> {
  const unreachableHeads = new Set<string>();
  for (const [index, nextHead] of heads.entries()) {
    const head = heads[index - 1];
    if (head === undefined || head === nextHead || (await readCommit(git, repository, head)) === null) continue;
    const nextExists = (await readCommit(git, repository, nextHead)) !== null;
    const mergeBase = nextExists
      ? await runOrNullIfOverLimit(() => findSharedMergeBase(git, repository, head, nextHead))
      : null;
    if (mergeBase !== head) unreachableHeads.add(head);
  }
  return unreachableHeads;
}

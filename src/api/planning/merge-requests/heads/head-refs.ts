import { sql } from 'kysely';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { findSharedMergeBase } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import { listRefs, resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { compareWithTarget } from '../merging/branch-comparison.ts';

interface MergeRequestIids {
  readonly projectId: number;
  readonly iids: readonly number[];
}

/**
 * Updates the head refs of merge requests. Clients fetch `refs/merge-requests/<iid>/head`; it also keeps the commits reachable when the
 * source branch is deleted (contract/repository.md §5). Heads that a force push replaces are kept by a hidden ref, so that older
 * versions stay comparable. The refs are updated asynchronously and deleted with their merge request.
 */
export const updateHeadRefs = defineJob({
  kind: 'update_merge_request_heads',
  async handle(services: RefServices, { projectId, iids }: MergeRequestIids) {
    const db = services.database.reader;
    const repository = await findRepository(db, projectId);
    if (repository === undefined) return;
    const project = { ...repository, id: projectId };
    for (let attempt = 1; ; attempt++) {
      const versions = await listVersionsWithoutRef(db, projectId, iids);
      await compareNewVersions(services, project, versions);
      const changes = await collectRefChanges(db, services.git, project, iids, versions);
      const updateResult =
        changes.length === 0
          ? undefined
          : await updateRepositoryRefs(services, { project, actor: { server: true, userId: null }, changes });
      if (!isFailure(updateResult)) return markVersionsRetained(services.database, versions);
      if (updateResult.code === 'readOnly') return enqueueLater(services, { projectId, iids });
      // Another job updated the same refs.
      if (updateResult.code === 'moved' && attempt < MAX_ATTEMPTS) continue;
      throw new Error(`Could not update the head refs of merge requests in project ${projectId}: ${updateResult.code}`);
    }
  },
});

/** Maximum number of attempts while other jobs update the same refs. */
const MAX_ATTEMPTS = 5;

/** Delay before a read-only repository is tried again. */
const READ_ONLY_RETRY_MS = 10 * 60_000;

function enqueueLater({ database }: RefServices, mergeRequestIids: MergeRequestIids): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, updateHeadRefs, mergeRequestIids, {
      ...getJobKey(mergeRequestIids),
      runAt: addMilliseconds(tx.now, READ_ONLY_RETRY_MS),
    }),
  );
}

/** Returns the key that deduplicates jobs for successive pushes to one branch. */
function getJobKey({ projectId, iids }: MergeRequestIids): { readonly key?: string } {
  return iids.length === 1 ? { key: `${projectId} ${iids[0]}` } : {};
}

/** Enqueues the update of the head refs, in the unit of work that changes or deletes the heads. */
export async function enqueueHeadRefSync(tx: Transaction, projectId: number, iids: readonly number[]): Promise<void> {
  if (iids.length > 0) await enqueue(tx, updateHeadRefs, { projectId, iids }, getJobKey({ projectId, iids }));
}

/** index: repositories primary key */
function findRepository(db: Reader, projectId: number) {
  return db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

type HeadRefRepository = NonNullable<Awaited<ReturnType<typeof findRepository>>> & { readonly id: number };

const getHeadRefName = (iid: number) => `refs/merge-requests/${iid}/head`;

/** Returns the prefix of the refs that keep replaced heads reachable. A commit id follows. */
const getKeepAroundPrefix = (iid: number) => `refs/keep-around/merge-requests/${iid}/`;

/** Returns the changes that head refs and keep-around refs need; deletions for deleted merge requests. */
async function collectRefChanges(
  db: Reader,
  git: Git,
  project: HeadRefRepository,
  iids: readonly number[],
  versions: readonly VersionWithoutRef[],
): Promise<RefChange[]> {
  const repository = getRepository(git, project);
  const heads = await loadHeads(db, project.id, iids);
  const versionsByIid = Map.groupBy(versions, ({ iid }) => iid);
  const changes: RefChange[] = [];
  for (const iid of new Set(iids)) {
    const ref = getHeadRefName(iid);
    const head = heads.get(iid);
    const refTarget = await resolveRef(repository, ref);
    if (head === undefined) {
      if (refTarget !== null) changes.push({ ref, oldId: refTarget, newId: ZERO_ID });
      const keepAroundRefs = await listRefs(git, repository, getKeepAroundPrefix(iid));
      changes.push(...keepAroundRefs.map(({ name, id }) => ({ ref: name, oldId: id, newId: ZERO_ID })));
      continue;
    }
    const newHeads = (versionsByIid.get(iid) ?? []).map((version) => version.head_sha);
    for (const id of await findUnreachableHeads(git, repository, [
      ...(refTarget === null ? [] : [refTarget]),
      ...newHeads,
      head,
    ])) {
      const keepAroundRef = getKeepAroundPrefix(iid) + id;
      if ((await resolveRef(repository, keepAroundRef)) === null)
        changes.push({ ref: keepAroundRef, oldId: ZERO_ID, newId: id });
    }
    const headExists = (await readCommit(git, repository, head)) !== null;
    if (headExists && head !== refTarget) changes.push({ ref, oldId: refTarget ?? ZERO_ID, newId: head });
  }
  return changes;
}

/** index: merge_requests_by_iid */
async function loadHeads(db: Reader, projectId: number, iids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['iid', 'head_sha'])
    .where('project_id', '=', projectId)
    .where(isInIds(db, sql<number>`iid`, iids))
    .execute();
  return new Map(rows.map(({ iid, head_sha }) => [iid, head_sha]));
}

// Refs that keep the heads of older versions reachable, so that git does not prune them (contract/planning.md §3.8 "Versions").

/** Lists the versions whose refs were not updated yet, oldest first. index: merge_requests_by_iid, merge_request_versions_by_merge_request */
function listVersionsWithoutRef(db: Reader, projectId: number, iids: readonly number[]) {
  return db
    .selectFrom('merge_requests')
    .innerJoin('merge_request_versions as version', 'version.merge_request_id', 'merge_requests.id')
    .select(['version.id', 'merge_requests.iid', 'source_branch', 'target_branch'])
    .select(['merge_requests.state', 'merge_requests.merge_commit_sha', 'merge_requests.squash_commit_sha'])
    .select(['version.head_commit_sha as head_sha', 'version.start_commit_sha'])
    .where('merge_requests.project_id', '=', projectId)
    .where(isInIds(db, sql<number>`merge_requests.iid`, iids))
    .where('version.has_keep_ref', '=', false)
    .orderBy('version.id')
    .execute();
}

type VersionWithoutRef = Awaited<ReturnType<typeof listVersionsWithoutRef>>[number];

/**
 * Stores the comparison of versions that have none. They are compared with the head of the target branch or, if the merge request was
 * imported as merged, with the parent of its merge commit.
 */
async function compareNewVersions(
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
async function markVersionsRetained(database: Database, versions: readonly VersionWithoutRef[]): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map(({ id }) => id);
  await database.transaction((tx) =>
    tx
      .updateTable('merge_request_versions')
      .set({ has_keep_ref: true })
      .where(isInIds(tx, sql<number>`id`, ids))
      .execute(),
  );
}

/** Returns the heads that are not reachable from the next head in the list. Missing commits are skipped. */
async function findUnreachableHeads(
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

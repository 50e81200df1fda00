import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { listRefs, resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import {
  compareNewVersions,
  findUnreachableHeads,
  listVersionsWithoutRef,
  markVersionsRetained,
  type VersionWithoutRef,
} from '../versions/version-head-refs.ts';

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
  kind: 'keep_heads_of_merge_requests',
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

/** Enqueues the update in the unit of work that changes or deletes the heads. */
export async function enqueueHeadRefUpdate(tx: Transaction, projectId: number, iids: readonly number[]): Promise<void> {
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

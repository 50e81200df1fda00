import { sql } from 'kysely';
import { defineJob, enqueue } from '../../../background/job.ts';
import { momentAfter } from '../../../clock.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import type { Versioned } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import { type Branches, lookAtBranches } from './branches.ts';
import { mergeStatus } from './mergeability.ts';
import { latestVersions } from './store.ts';
import { changesOf, isCut, realSize } from './versions.ts';

/**
 * What lists tell of whether merge requests can be merged, and what each of their heads changed, is looked up in the
 * background soon after their branches have moved.
 */

/** Of more than this that nobody has looked into the newest are. */
const MOST = 100;

export const checkMergeRequests = defineJob({
  kind: 'check_merge_requests',
  async handle({ database, git }: RefRooms, { projectId }: { readonly projectId: number }) {
    const db = database.reader;
    const project = await placeOf(db, projectId);
    if (project === undefined) return;
    for (const mergeRequest of await uncheckedOf(db, projectId)) {
      const branches = await lookAtBranches(git, project, mergeRequest);
      const version = await describe(db, git, project, mergeRequest.id, branches);
      // What has moved meanwhile is looked at once more.
      if (!(await keep(database, project, mergeRequest, branches, version))) return;
    }
  },
});

/** A burst of pushes costs one look. */
const REST_MS = 1_000;

/** Part of an act after which somebody has to look: while one look is ahead, no more is asked for. */
export function checkSoon(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(tx, checkMergeRequests, { projectId }, { key: `${projectId}`, runAt: momentAfter(tx.now, REST_MS) });
}

type Place = Versioned & { readonly project_id: number };

/** index: repositories primary key */
function placeOf(db: Reader, projectId: number): Promise<Place | undefined> {
  return db
    .selectFrom('repositories')
    .select(['project_id', 'storage', 'disk_path', 'default_branch', 'ref_state_version'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** index: merge_requests_unchecked */
function uncheckedOf(db: Reader, projectId: number) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'source_branch', 'target_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where('merge_status', '=', sql.lit('unchecked' as const))
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute();
}

type Unchecked = Awaited<ReturnType<typeof uncheckedOf>>[number];

/** What is to be told of the latest version; null: it has been told, or its target branch is not there. */
async function describe(db: Reader, git: Git, project: Place, id: number, { target, base }: Branches) {
  const [version] = await latestVersions(db, [id]);
  if (version === undefined || version.state !== null || target === null) return null;
  const { head_commit_sha: head } = version;
  const span =
    version.start_commit_sha === null
      ? { base, start: target }
      : { base: version.base_commit_sha, start: version.start_commit_sha };
  const diff = await changesOf(git, project, { head, ...span });
  const state = isCut(diff) ? 'overflow' : diff.files.length === 0 ? 'empty' : 'collected';
  return {
    id: version.id,
    columns: { base_commit_sha: span.base, start_commit_sha: span.start, state, real_size: realSize(diff) },
  } as const;
}

/** False: refs have moved since the look began. */
function keep(
  database: Database,
  project: Place,
  { id, head_sha }: Unchecked,
  { check }: Branches,
  version: Awaited<ReturnType<typeof describe>>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if ((await placeOf(tx, project.project_id))?.ref_state_version !== project.ref_state_version) {
      await enqueue(tx, checkMergeRequests, { projectId: project.project_id }, { key: `${project.project_id}` });
      return false;
    }
    await tx
      .updateTable('merge_requests')
      .set({ merge_status: mergeStatus(check), merge_check: check })
      .where('id', '=', id)
      .where('head_sha', '=', head_sha)
      .where('state', '=', 'opened')
      .execute();
    if (version) await describeVersion(tx, version);
    return true;
  });
}

/** index: merge_request_versions primary key */
async function describeVersion(tx: Transaction, { id, columns }: NonNullable<Awaited<ReturnType<typeof describe>>>) {
  await tx.updateTable('merge_request_versions').set(columns).where('id', '=', id).execute();
}

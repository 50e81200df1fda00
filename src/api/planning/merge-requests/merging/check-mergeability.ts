import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Database, Reader, Transaction } from '#database/database.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { GitFailed, unlessOverLimit } from '#git/process/failures.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { isMoving } from '#repositories/ref-updates/intents.ts';
import type { Versioned } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { momentAfter } from '#runtime/clock.ts';
import { followHeads } from '../heads/update-heads.ts';
import { describe } from '../versions/version-summary.ts';
import { lookAtBranches } from './branch-comparison.ts';
import { mergeStatus } from './mergeability.ts';

/**
 * What lists tell of whether merge requests can be merged, and what each of their heads changed, is looked up in the
 * background soon after their branches have moved.
 */

/** So many that nobody has looked into are in one round, the newest first; the others are in the next ones. */
const MOST = 100;

/** Of the versions of one that nobody has looked into so many are, the newest first. */
const MOST_VERSIONS = 20;

interface Round {
  readonly projectId: number;
  /** Those with lower ids: the others were in the rounds before. */
  readonly before?: number;
}

export const checkMergeRequests = defineJob({
  kind: 'check_merge_requests',
  async handle({ database, git, runUnitOfWork }: RefServices, { projectId, before }: Round) {
    const db = database.reader;
    const project = await placeOf(db, projectId);
    if (project === undefined) return;
    const round = await uncheckedOf(db, projectId, before);
    const broken: unknown[] = [];
    for (const mergeRequest of round) {
      try {
        const found = await lookAt(db, git, project, mergeRequest);
        // What has moved meanwhile is looked at once more.
        if (!(await keep(runUnitOfWork, project, mergeRequest, found))) return;
      } catch (error) {
        if (!isOfItsObjects(error)) throw error;
        broken.push(error);
      }
    }
    if (round.length === MOST) await checkBefore(database, projectId, round.at(-1)!.id);
    // Whoever looks after the server is told of it when all the others have been looked at.
    if (broken.length > 0) throw broken[0];
  },
});

/** What git says of one of them; what is too dear to be said is left open, until its branches move again. */
async function lookAt(db: Reader, git: Git, project: Place, mergeRequest: Unchecked) {
  const branches = await unlessOverLimit(() => lookAtBranches(git, project, mergeRequest));
  return {
    check: branches?.check ?? null,
    source: branches?.source ?? null,
    versions: await describeAll(db, git, project, mergeRequest),
  };
}

/** It says nothing of other merge requests. */
function isOfItsObjects(error: unknown): boolean {
  return error instanceof GitFailed && !['stopped', 'unavailable'].includes(error.failure.kind);
}

/** A burst of pushes costs one look. */
const REST_MS = 1_000;

/** Part of an act after which somebody has to look: while one look is ahead, no more is asked for. */
export function checkSoon(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(tx, checkMergeRequests, { projectId }, { key: `${projectId}`, runAt: momentAfter(tx.now, REST_MS) });
}

function checkBefore(database: Database, projectId: number, id: number): Promise<void> {
  const key = `${projectId} before ${id}`;
  return database.transaction((tx) => enqueue(tx, checkMergeRequests, { projectId, before: id }, { key }));
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
function uncheckedOf(db: Reader, projectId: number, before?: number) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'target_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where('merge_status', '=', sql.lit('unchecked' as const))
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute();
}

type Unchecked = Awaited<ReturnType<typeof uncheckedOf>>[number];

/** What is to be told of its versions that nobody has looked into; nothing while its target branch is not there. */
async function describeAll(db: Reader, git: Git, project: Place, mergeRequest: Unchecked) {
  const told = [];
  for (const version of await undescribedOf(db, mergeRequest.id)) {
    const columns = await describe(git, project, mergeRequest, version);
    if (columns !== null) told.push({ id: version.id, columns });
  }
  return told;
}

/** index: merge_request_versions_by_merge_request */
function undescribedOf(db: Reader, id: number) {
  return db
    .selectFrom('merge_request_versions')
    .select(['id', 'base_commit_sha', 'head_commit_sha', 'start_commit_sha'])
    .where('merge_request_id', '=', id)
    .where('state', 'is', null)
    .orderBy('id', 'desc')
    .limit(MOST_VERSIONS)
    .execute();
}

/** False: refs have moved since the look began, and it begins anew. */
function keep(
  runUnitOfWork: RunUnitOfWork,
  project: Place,
  { id, iid, head_sha }: Unchecked,
  { check, source, versions }: Awaited<ReturnType<typeof lookAt>>,
): Promise<boolean> {
  const { project_id: projectId } = project;
  return runUnitOfWork(ANONYMOUS, async (uow) => {
    if ((await placeOf(uow, projectId))?.ref_state_version !== project.ref_state_version) {
      await enqueue(uow, checkMergeRequests, { projectId }, { key: `${projectId}` });
      return false;
    }
    if (source !== null && source !== head_sha) {
      // A push is on its way, or of two the earlier one was recorded later: then nobody else mends the head.
      if (!(await isMoving(uow, projectId))) await followHeads(uow, projectId, [{ id, iid, head_sha, head: source }]);
      await checkSoon(uow, projectId);
      return true;
    }
    const kept = await uow
      .updateTable('merge_requests')
      .set({ merge_status: mergeStatus(check), merge_check: check })
      .where('id', '=', id)
      .where('head_sha', '=', head_sha)
      .where('state', '=', 'opened')
      .returning('id')
      .executeTakeFirst();
    if (kept !== undefined && check !== null) await noteConflicts(uow, id, check === 'conflict');
    for (const version of versions) await describeVersion(uow, version);
    return true;
  });
}

/** Of conflicts others hear when they come. index: merge_requests primary key */
async function noteConflicts(uow: UnitOfWork, id: number, has: boolean): Promise<void> {
  const changed = await uow
    .updateTable('merge_requests')
    .set({ conflicts_told: has })
    .where('id', '=', id)
    .where('conflicts_told', '<>', has)
    .returning('id')
    .executeTakeFirst();
  if (changed !== undefined && has) await uow.publish('conflicts-come', { mergeRequestId: id });
}

/** index: merge_request_versions primary key */
async function describeVersion(tx: Transaction, { id, columns }: Awaited<ReturnType<typeof describeAll>>[number]) {
  await tx.updateTable('merge_request_versions').set(columns).where('id', '=', id).execute();
}

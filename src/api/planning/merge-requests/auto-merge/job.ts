import { sql } from 'kysely';
import { isSignedIn } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { beingMerged, isBeingMerged } from '#repositories/ref-updates/intents.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import type { RefServices } from '#repositories/services.ts';
import { momentAfter } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { type MergeRefused, mergeByItself } from '../merging/merge.ts';
import { tellMergeError } from '../store.ts';
import { abortAutoMerges } from './cancel.ts';
import { findAutoMerge, isAutoMerged, takeAutoMerges } from './store.ts';

/** So long a process that has died keeps others from settling what it has begun. */
const ON_ITS_WAY_MS = 60_000;

/** Of what nobody tells that it is over: after so many milliseconds somebody asks again. That of a read-only repository is chosen. */
const RESTS: Partial<Record<MergeRefused, number>> = { readOnly: 10 * 60_000, onItsWay: ON_ITS_WAY_MS };

const CONFLICT = 'Branch cannot be merged';
const NOT_ALLOWED = 'Auto-merge failed: who has enabled it is not allowed to merge into the target branch.';
const FAILED = 'Auto-merge failed: the merge could not be made.';

/**
 * Merges what is to be merged by itself, if all has come that was waited for, in the name of who has said so and by his rights at
 * this moment. However many have seen something come, one of them merges; the others find it merged.
 */
export const mergeWhenReady = defineJob({
  kind: 'merge_when_ready',
  maxAttempts: 6,
  async handle(services: RefServices, { mergeRequestId: id }: { readonly mergeRequestId: number }) {
    const failure = await tryToMerge(services, id);
    if (failure !== null) await services.database.transaction((tx) => giveUp(tx, id, failure));
  },
  givenUp: (tx, { mergeRequestId: id }) => giveUp(tx, id, FAILED),
});

/** Null: it is merged, or may be later. */
async function tryToMerge(services: RefServices, id: number): Promise<string | null> {
  const { database } = services;
  const db = database.current().reader;
  const set = await findAutoMerge(db, id);
  if (set === null) return null;
  const by = await actorOf(db, set.userId);
  const [mergeRequest] = await findMergeRequests(db, by, [id]);
  if (mergeRequest === undefined) return null;
  const project = await findProject(db, by, String(mergeRequest.project_id));
  if (project === null || !isSignedIn(by)) return NOT_ALLOWED;
  if (set.head !== undefined && set.head !== mergeRequest.head_sha) {
    await services.runUnitOfWork(by, (uow) => abortIfOutrun(uow, id));
    return null;
  }
  try {
    const merged = await mergeByItself(services, by, project, mergeRequest, set.wish);
    if (!isFailure(merged)) return null;
    // Its branches are busy: the queue comes back when they may have come to rest.
    if (merged.code === 'outrun') throw new Error('Its branches were moved by others each time');
    const rest = RESTS[merged.code];
    if (rest !== undefined) await database.transaction((tx) => mergeLater(tx, id, rest));
    return merged.code === 'conflict' ? CONFLICT : null;
  } catch (error) {
    if (error instanceof AccessRevoked) return NOT_ALLOWED;
    throw error;
  }
}

/** Somebody pushed while it was on its way: when that has come to nothing it is not merged by itself any more. */
async function abortIfOutrun(uow: UnitOfWork, id: number): Promise<void> {
  if (await isBeingMerged(uow, id)) return mergeLater(uow, id, ON_ITS_WAY_MS);
  const set = await findAutoMerge(uow, id);
  const [now] = await findMergeRequests(uow, uow.actor, [id]);
  if (set !== null && set.head !== now?.head_sha) await abortAutoMerges(uow, [id], 'the source branch was updated');
}

const mergeLater = (tx: Transaction, id: number, rest: number) =>
  enqueue(tx, mergeWhenReady, { mergeRequestId: id }, { key: `${id}`, runAt: momentAfter(tx.now, rest) });

/** A push has come to those of these that are on their way; the others are aborted by it. */
export async function outrunAutoMerges(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const onTheirWay = await beingMerged(uow, ids);
  for (const id of ids.filter((each) => onTheirWay.has(each))) {
    if (await isAutoMerged(uow, id)) await mergeLater(uow, id, ON_ITS_WAY_MS);
  }
  const others = ids.filter((each) => !onTheirWay.has(each));
  if (others.length > 0) await abortAutoMerges(uow, others, 'the source branch was updated');
}

async function giveUp(tx: Transaction, id: number, failure: string): Promise<void> {
  if ((await takeAutoMerges(tx, [id])).length > 0) await tellMergeError(tx, id, failure);
}

/** Part of an act by which something may have come that was waited for. */
export async function mergeSoonIfWaiting(tx: Transaction, id: number): Promise<void> {
  if (await isAutoMerged(tx, id)) await mergeSoon(tx, id);
}

const mergeSoon = (tx: Transaction, id: number) =>
  enqueue(tx, mergeWhenReady, { mergeRequestId: id }, { key: `${id}` });

/** Pipelines that have succeeded, of the heads of merge requests. */
export const mergeAfterPipelines = subscription({
  event: 'occurred',
  async inTransaction(uow, { event, about }) {
    if (event !== 'success_pipeline' && event !== 'fixed_pipeline') return;
    for (const id of await waitingForPipeline(uow, about.id)) await mergeSoon(uow, id);
  },
});

/** The last open thread of one is resolved. */
export const mergeAfterThreads = subscription({
  event: 'threads-resolved',
  inTransaction: (uow, { mergeRequestId }) => mergeSoonIfWaiting(uow, mergeRequestId),
});

/** index: pipelines primary key, merge_requests_open_by_branches, merge_request_auto_merges primary key */
async function waitingForPipeline(db: Reader, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .innerJoin('merge_requests', (join) =>
      join
        .onRef('merge_requests.project_id', '=', 'pipelines.project_id')
        .onRef('merge_requests.source_branch', '=', 'pipelines.ref')
        .onRef('merge_requests.head_sha', '=', 'pipelines.sha')
        .on('merge_requests.state', '=', sql.lit('opened' as const)),
    )
    .innerJoin('merge_request_auto_merges as auto', 'auto.merge_request_id', 'merge_requests.id')
    .select('merge_requests.id')
    .where('pipelines.id', '=', pipelineId)
    .where('pipelines.tag', '=', false)
    .execute();
  return rows.map(({ id }) => id);
}

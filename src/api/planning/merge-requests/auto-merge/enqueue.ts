import type { Transaction } from '#database/database.ts';
import { enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { hasAutoMerge } from './store.ts';

/** Enqueues the job that runs a pending auto-merge. The job itself is in `job.ts`, which imports what merges. */

export const AUTO_MERGE = { kind: 'merge_when_ready' } as const;

/** Enqueues the job after this delay in milliseconds. */
export const enqueueAutoMergeLater = (tx: Transaction, id: number, delayMs: number) =>
  enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id}`, runAt: addMilliseconds(tx.now, delayMs) });

/** Enqueues the auto-merge job if auto-merge is enabled, in the unit of work that may have made the merge request ready. */
export async function enqueueAutoMergeIfEnabled(tx: Transaction, id: number): Promise<void> {
  if (await hasAutoMerge(tx, id)) await enqueueAutoMerge(tx, id);
}

/** Enqueues the auto-merge job at this time, or now for null, if auto-merge is enabled. */
export async function enqueueAutoMergeAfter(tx: Transaction, id: number, time: string | null): Promise<void> {
  if (time === null || time <= tx.now) return enqueueAutoMergeIfEnabled(tx, id);
  if (!(await hasAutoMerge(tx, id))) return;
  await enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id} after ${time}`, runAt: time });
}

/** Enqueues the job now. */
export const enqueueAutoMerge = (tx: Transaction, id: number) =>
  enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id}` });

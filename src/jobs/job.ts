import { sql } from 'kysely';
import type { Database, Transaction } from '#database/database.ts';

/** A kind of background job. `Services`: the services that its handler needs; server.ts passes them to the queue. */
export interface JobDefinition<Services, Payload> {
  /** Stored with each job: never rename it while jobs of this kind may be queued. */
  readonly kind: string;
  /** Maximum number of attempts before the job becomes dead. Default 10. */
  readonly maxAttempts?: number;
  /** The job may take minutes. Such jobs have separate slots, so that short jobs never wait for them. */
  readonly isLongRunning?: true;
  /** The job waits for external servers, which may be slow. Such jobs have separate slots, too. */
  readonly isExternal?: true;
  /** Runs at least once: another process may have started, or even finished, the same job before. */
  readonly handle: (services: Services, payload: Payload, run: JobRun) => Promise<void>;
  /**
   * Runs in the transaction that marks the job as dead, because its last attempt failed or the process ended in every attempt. The
   * transaction is read committed, so conditions belong into the statement that writes: earlier reads may be outdated.
   */
  readonly onDead?: (tx: Transaction, payload: Payload) => Promise<void>;
}

/** The current run of a job. */
export interface JobRun {
  readonly id: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborts when the server stops and cannot wait for the handler any longer. */
  readonly signal: AbortSignal;
}

/** Defines a kind of job. The payload is JSON; the handler's parameters declare the types. */
export function defineJob<Services, Payload>(job: JobDefinition<Services, Payload>): JobDefinition<Services, Payload> {
  return job;
}

interface EnqueueOptions {
  /** Earliest start as a timestamp; default: now. */
  readonly runAt?: string;
  /**
   * While a job of this kind and key waits, no other one is added, but the waiting one may move to an earlier time. Running
   * jobs do not count: they may have read older data. Two jobs with the same key never run at the same time.
   */
  readonly key?: string;
}

/** Enqueues a job in the caller's transaction: it exists if and only if the transaction commits. */
export async function enqueue<Payload>(
  tx: Transaction,
  job: EnqueueableJob<Payload>,
  payload: Payload,
  { runAt = tx.now, key }: EnqueueOptions = {},
): Promise<void> {
  await tx
    .insertInto('background_jobs')
    .values({ kind: job.kind, payload: JSON.stringify(payload), run_at: runAt, key: key ?? null, created_at: tx.now })
    // An update, not "do nothing": its row lock makes a claim wait for this commit, so that the handler sees our writes.
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'key'])
        .where((eb) =>
          eb.and([
            eb('state', '=', sql.lit('pending' as const)),
            eb('lease_owner', 'is', null),
            eb('key', 'is not', null),
          ]),
        )
        .doUpdateSet((eb) => ({
          run_at: eb
            .case()
            .when('excluded.run_at', '<', eb.ref('background_jobs.run_at'))
            .then(eb.ref('excluded.run_at'))
            .else(eb.ref('background_jobs.run_at'))
            .end(),
        })),
    )
    .execute();
  tx.afterCommit(notifyJobEnqueued);
}

/** The part of a job definition that `enqueue` needs. A handler determines the type of the payload. */
interface EnqueueableJob<Payload> {
  readonly kind: string;
  readonly handle?: (services: never, payload: Payload, run: JobRun) => Promise<void>;
}

const enqueueListeners = new Set<() => void>();

/** Calls `listener` after each commit of this process that enqueued a job, until the returned function is called. */
export function onJobEnqueued(listener: () => void): () => void {
  enqueueListeners.add(listener);
  return () => enqueueListeners.delete(listener);
}

function notifyJobEnqueued(): void {
  for (const listener of enqueueListeners) listener();
}

/**
 * Deletes rows in batches until a batch is not full. Each batch is a short transaction, so that no request waits for a cleanup.
 * The callback deletes a batch and returns the number of deleted rows. Transactions are read committed: if rows can become
 * needed again, the DELETE itself must contain the condition, because a subquery is not evaluated again.
 */
export async function deleteInBatches(
  database: Database,
  batchSize: number,
  deleteBatch: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  const runBatch = () => database.transaction((tx) => deleteBatch(tx, batchSize), { isolation: 'read committed' });
  while ((await runBatch()) === batchSize);
}

import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';

/** A kind of work for the queue. `Services` is what its handler needs; the queue is given it by server.ts. */
export interface Job<Services, Payload> {
  /** Stored with the work: never renamed while work of it may wait. */
  readonly kind: string;
  /** So often it is begun before it is given up and kept as a dead letter. Default 10. */
  readonly maxAttempts?: number;
  /** It may last minutes: such work has places of its own, so that what is short never waits for it. */
  readonly long?: true;
  /** It waits for servers of others, which may take their time: it has places of its own too. */
  readonly far?: true;
  /** Runs at least once: another process may have begun, or even finished, the same work before. */
  readonly handle: (services: Services, payload: Payload, run: JobRun) => Promise<void>;
  /**
   * What is to be told when it is given up, whether its last attempt has failed or its process has ended in it each time: part
   * of the transaction that makes it a dead letter. Sees what is committed while it runs: what it decides by, it writes at once.
   */
  readonly givenUp?: (tx: Transaction, payload: Payload) => Promise<void>;
}

/** The present run of a job. */
export interface JobRun {
  readonly id: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the server stops and can't wait for the handler any longer. */
  readonly signal: AbortSignal;
}

/** Names a kind of work; the payload is JSON. The types stand at the handler's parameters. */
export function defineJob<Services, Payload>(job: Job<Services, Payload>): Job<Services, Payload> {
  return job;
}

interface EnqueueOptions {
  /** Not before this moment; default: now. */
  readonly runAt?: string;
  /**
   * While work of this kind with this key waits, no more of it is added (what waits may move to an earlier moment). Work
   * that is running already doesn't count: it may have read too early. Two with the same key never run at once.
   */
  readonly key?: string;
}

/** Adds work in the transaction that needs it: it is there when the transaction commits, and only then. */
export async function enqueue<Payload>(
  tx: Transaction,
  job: JobKind<Payload>,
  payload: Payload,
  { runAt = tx.now, key }: EnqueueOptions = {},
): Promise<void> {
  await tx
    .insertInto('background_jobs')
    .values({ kind: job.kind, payload: JSON.stringify(payload), run_at: runAt, key: key ?? null, created_at: tx.now })
    // An update, not "do nothing": its row lock makes a claim wait for this commit, so that the handler sees what we wrote.
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
  tx.afterCommit(workWasAdded);
}

/** What `enqueue` needs of a Job. */
interface JobKind<Payload> {
  readonly kind: string;
  readonly handle: (services: never, payload: Payload, run: JobRun) => Promise<void>;
}

const awake = new Set<() => void>();

/** Calls `listener` after commits of this process that added work, until the returned function is called. */
export function onWorkAdded(listener: () => void): () => void {
  awake.add(listener);
  return () => awake.delete(listener);
}

function workWasAdded(): void {
  for (const listener of awake) listener();
}

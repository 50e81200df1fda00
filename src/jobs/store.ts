import { type ExpressionBuilder, sql } from 'kysely';
import type { Columns, Schema, Transaction } from '#database/database.ts';
import { skipLocked } from '#database/dialect.ts';
import { type Params, prepare } from '#database/prepare.ts';

/** A claimed job of this process. */
export interface LeasedJob extends Columns<'background_jobs', 'id' | 'kind' | 'payload' | 'attempts'> {
  /** Number of processes that died while they ran the job. */
  readonly process_deaths: number;
}

/** Finds any due job; an idle process runs this query once per second. index: background_jobs_by_run_at */
export const findDueJob = prepare((db, value: Params<{ now: string }>) =>
  db
    .selectFrom('background_jobs')
    .select('id')
    .where('state', '=', sql.lit('pending' as const))
    .where('run_at', '<=', value('now'))
    .where('lease_owner', 'is', null)
    .limit(1),
);

interface Claim {
  readonly owner: string;
  readonly leaseUntil: string;
  /** Jobs of other kinds are left to a version that knows them. */
  readonly kinds: readonly string[];
  /** Claims the jobs during which a process has died, instead of all others. */
  readonly onlySuspects?: true;
  readonly limit: number;
}

/**
 * Claims due jobs, the oldest first, and counts the attempt. A job with the key of a running job is not due.
 * index: background_jobs_by_run_at; for suspects background_jobs_suspects; for the keys background_jobs_leased
 */
export async function claimJobs(tx: Transaction, claim: Claim): Promise<LeasedJob[]> {
  const claimedJobs = await buildClaimQuery(tx, claim).execute();
  return claimedJobs.sort((a, b) => a.id - b.id);
}

/** Builds the update of `claimJobs`. Rows that another process is claiming are skipped. */
export function buildClaimQuery(tx: Transaction, claim: Claim) {
  const due = tx
    .selectFrom('background_jobs as due')
    .select('due.id')
    .where('due.state', '=', sql.lit('pending' as const))
    .where('due.run_at', '<=', tx.now)
    .where('due.lease_owner', 'is', null)
    .where('due.kind', 'in', claim.kinds)
    .where('due.process_deaths', claim.onlySuspects ? '>' : '=', sql.lit(0))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('background_jobs as running')
            .select('running.id')
            .where('running.lease_owner', 'is not', null)
            .whereRef('running.kind', '=', 'due.kind')
            .whereRef('running.key', '=', 'due.key')
            .whereRef('running.id', '<>', 'due.id'),
        ),
      ),
    )
    .orderBy('due.run_at')
    .orderBy('due.id')
    .limit(claim.limit);
  return tx
    .updateTable('background_jobs')
    .set((eb) => ({ lease_until: claim.leaseUntil, lease_owner: claim.owner, attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', skipLocked(tx, due))
    .returning(['id', 'kind', 'payload', 'attempts', 'process_deaths']);
}

/** Extends the leases of the owner's running jobs. index: background_jobs_leased */
export async function extendLeases(tx: Transaction, owner: string, ids: readonly number[], leaseUntil: string) {
  await tx
    .updateTable('background_jobs')
    .set({ lease_until: leaseUntil })
    .where('lease_owner', '=', owner)
    .where('id', 'in', ids)
    .execute();
}

/** Finds any job of another process whose lease has expired. index: background_jobs_leased */
export const findExpiredLease = prepare((db, value: Params<{ now: string; owner: string }>) =>
  db
    .selectFrom('background_jobs')
    .select('id')
    .where('lease_owner', 'is not', null)
    .where('lease_owner', '<>', value('owner'))
    .where('lease_until', '<=', value('now'))
    .limit(1),
);

/** Finds any due job during which a process has died. index: background_jobs_suspects */
export const findDueSuspect = prepare((db, value: Params<{ now: string }>) =>
  db
    .selectFrom('background_jobs')
    .select('id')
    .where('state', '=', sql.lit('pending' as const))
    .where('process_deaths', '>', sql.lit(0))
    .where('run_at', '<=', value('now'))
    .where('lease_owner', 'is', null)
    .limit(1),
);

/**
 * Releases the jobs of processes that died, and counts the death for each. Without `expired` it releases every lease: no other
 * process runs. If a job was enqueued again, the new row takes over the count. index: background_jobs_leased
 */
export async function releaseAbandonedLeases(
  tx: Transaction,
  expired?: { readonly now: string; readonly exceptOwner: string },
): Promise<void> {
  const abandonedJobs = await tx
    .updateTable('background_jobs')
    .set((eb) => ({ process_deaths: eb('process_deaths', '+', 1) }))
    .where('lease_owner', 'is not', null)
    .$if(expired !== undefined, (query) =>
      query.where('lease_until', '<=', expired!.now).where('lease_owner', '<>', expired!.exceptOwner),
    )
    .returning(['id', 'kind', 'key', 'process_deaths'])
    .execute();
  for (const { id, kind, key, process_deaths } of abandonedJobs) {
    const newerDuplicates = await tx
      .updateTable('background_jobs')
      .set({ process_deaths })
      .where('state', '=', sql.lit('pending' as const))
      .where('lease_owner', 'is', null)
      .where('kind', '=', kind)
      .where('key', '=', key)
      .returning('id')
      .execute();
    if (newerDuplicates.length > 0) await tx.deleteFrom('background_jobs').where('id', '=', id).execute();
    else
      await tx
        .updateTable('background_jobs')
        .set({ lease_owner: null, lease_until: null })
        .where('id', '=', id)
        .execute();
  }
}

/** Deletes a finished job, unless another owner has claimed it. */
export async function deleteJob(tx: Transaction, owner: string, id: number): Promise<void> {
  await tx.deleteFrom('background_jobs').where('id', '=', id).where('lease_owner', '=', owner).execute();
}

/** Builds the condition that a job of the same kind and key was enqueued since this one started. */
function hasNewerDuplicate(eb: ExpressionBuilder<Schema, 'background_jobs'>) {
  return eb.exists(
    eb
      .selectFrom('background_jobs as waiting')
      .select('waiting.id')
      .where('waiting.state', '=', sql.lit('pending' as const))
      .where('waiting.lease_owner', 'is', null)
      .whereRef('waiting.kind', '=', 'background_jobs.kind')
      .whereRef('waiting.key', '=', 'background_jobs.key'),
  );
}

/** Makes a job wait until `runAt`, or deletes it if a job of the same kind and key was enqueued meanwhile. */
export async function releaseJob(
  tx: Transaction,
  owner: string,
  id: number,
  change: { runAt: string; attempts?: number; error?: string },
): Promise<void> {
  await tx
    .deleteFrom('background_jobs')
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where(hasNewerDuplicate)
    .execute();
  await tx
    .updateTable('background_jobs')
    .set({ run_at: change.runAt, lease_owner: null, lease_until: null })
    .$if(change.error !== undefined, (query) => query.set({ last_error: change.error! }))
    .$if(change.attempts !== undefined, (query) => query.set({ attempts: change.attempts! }))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute();
}

/** Marks a job as dead: it never runs again, and metrics count it. Returns false if another owner has claimed it. */
export async function markJobDead(tx: Transaction, owner: string, id: number, error: string): Promise<boolean> {
  const deadJobs = await tx
    .updateTable('background_jobs')
    .set({ state: 'dead', last_error: error, lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning('id')
    .execute();
  return deadJobs.length > 0;
}

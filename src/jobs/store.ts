import { type ExpressionBuilder, sql } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { skipLocked } from '#database/dialect.ts';
import { keyset } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';

export interface ClaimedJob {
  readonly id: number;
  readonly kind: string;
  readonly payload: string;
  readonly attempts: number;
}

/** Whether any work is due: what an idle process asks once a second. index: background_jobs_by_run_at */
export const someJobIsDue = prepare((db, value: Params<{ now: string }>) =>
  db
    .selectFrom('background_jobs')
    .select('id')
    .where('state', '=', sql.lit('pending' as const))
    .where('run_at', '<=', value('now'))
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', value('now'))]))
    .limit(1),
);

interface Claim {
  readonly owner: string;
  readonly leaseUntil: string;
  /** Work of other kinds is left to a version that knows them. */
  readonly kinds: readonly string[];
  /** What this process is running at present. */
  readonly running: readonly number[];
  readonly limit: number;
}

/**
 * Takes due work, the oldest first, and counts the attempt. Work whose lease ran out is due again; work with the key of
 * other work that is running is not. index: background_jobs_by_run_at; for the keys background_jobs_leased
 */
export async function claimJobs(tx: Transaction, claim: Claim): Promise<ClaimedJob[]> {
  const claimed = await claimQuery(tx, claim).execute();
  return claimed.sort((a, b) => a.id - b.id);
}

export function claimQuery(tx: Transaction, claim: Claim) {
  const due = tx
    .selectFrom('background_jobs as due')
    .select('due.id')
    .where('due.state', '=', sql.lit('pending' as const))
    .where('due.run_at', '<=', tx.now)
    .where((eb) => eb.or([eb('due.lease_until', 'is', null), eb('due.lease_until', '<=', tx.now)]))
    .where('due.kind', 'in', claim.kinds)
    .$if(claim.running.length > 0, (query) => query.where('due.id', 'not in', claim.running))
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
    .returning(['id', 'kind', 'payload', 'attempts']);
}

/** Keeps what this owner is running from being taken over. index: background_jobs_leased */
export async function extendLeases(tx: Transaction, owner: string, ids: readonly number[], until: string) {
  await tx
    .updateTable('background_jobs')
    .set({ lease_until: until })
    .where('lease_owner', '=', owner)
    .where('id', 'in', ids)
    .execute();
}

/** Whoever was running something runs nothing any more: it waits again, as `releaseJob` says. index: background_jobs_leased */
export async function forgetLeases(tx: Transaction): Promise<void> {
  await tx.deleteFrom('background_jobs').where('lease_owner', 'is not', null).where(isWaitingAnew).execute();
  await tx
    .updateTable('background_jobs')
    .set({ lease_owner: null, lease_until: null })
    .where('lease_owner', 'is not', null)
    .execute();
}

/** The work is done. Nothing happens when another owner has taken it over. */
export async function removeJob(tx: Transaction, owner: string, id: number): Promise<void> {
  await tx.deleteFrom('background_jobs').where('id', '=', id).where('lease_owner', '=', owner).execute();
}

/** The same work, by kind and key, was added since this was begun. */
function isWaitingAnew(eb: ExpressionBuilder<Schema, 'background_jobs'>) {
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

/** Lets the work wait until `runAt`, unless the same work (kind and key) was added meanwhile: then that takes its place. */
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
    .where(isWaitingAnew)
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

/** Gives the work up: it stays for administrators to see. False: it is somebody else's by now. */
export async function buryJob(tx: Transaction, owner: string, id: number, error: string): Promise<boolean> {
  const buried = await tx
    .updateTable('background_jobs')
    .set({ state: 'dead', last_error: error, lease_owner: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning('id')
    .execute();
  return buried.length > 0;
}

/** Work that was given up, the latest first; `before` is the last id of the page before. index: background_jobs_dead */
export function listDeadJobs(db: Reader, { limit = 100, before }: { limit?: number; before?: number } = {}) {
  return keyset(deadJobs(db), 'id', 'id', {
    direction: 'desc',
    limit,
    after: before === undefined ? undefined : { value: before, id: before },
  });
}

export function deadJobs(db: Reader) {
  return db
    .selectFrom('background_jobs')
    .select(['id', 'kind', 'payload', 'attempts', 'last_error', 'created_at'])
    .where('state', '=', sql.lit('dead' as const));
}

/** Tries work that was given up once more, from its first attempt; false when there is none with this id. */
export async function retryDeadJob(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('background_jobs')
    .set({ state: 'pending', attempts: 0, run_at: tx.now, key: null })
    .where('id', '=', id)
    .where('state', '=', sql.lit('dead' as const))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

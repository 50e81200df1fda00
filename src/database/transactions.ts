import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { isFailure } from '#runtime/failure.ts';
import { getViolatedUniqueIndex } from './constraint-violations.ts';
import type { Connection, Engine, Isolation, OpenTransaction } from './engines/engine.ts';
import { DatabaseUnavailable } from './engines/unavailable.ts';
import type { Transaction } from './handles.ts';
import type { createHandles } from './sessions.ts';

export interface TransactionOptions extends Waiter {
  /**
   * PostgreSQL only; SQLite is always serializable. Default: serializable. Use read committed only for rows that no decision
   * depends on: PostgreSQL ignores such writes when it detects conflicts, so that two serializable transactions may both
   * succeed where one had to fail.
   */
  readonly isolation?: Isolation;
  /**
   * Advisory lock keys: transactions with a common key run one after another, in all processes. Use it for transactions that
   * all write one row and would otherwise conflict. Several locks are acquired in sorted order.
   */
  readonly lock?: string | readonly string[] | undefined;
  /**
   * Unique indexes whose violation makes the work run again, because it depends on what was committed meanwhile. Only for work
   * that then uses another value.
   */
  readonly retryOnUniqueViolation?: readonly string[] | undefined;
}

interface TransactionContext {
  readonly engine: Engine;
  readonly handles: ReturnType<typeof createHandles>;
  readonly clock: Clock;
  /** Fails a transaction that is open at the next macrotask without having yielded: it waits for more than SQL. */
  readonly detectLong: boolean;
  /** Called for an after-commit action that threw; the transaction stays committed. */
  readonly onActionFailed: (error: unknown) => void;
}

/** Attempts after which the database counts as unavailable. */
const MAX_ATTEMPTS = 20;
const MAX_PAUSE_MS = 200;

/** Transactions that conflicted this often run one after another: on a contended row only one succeeds anyway. */
const MAX_CONCURRENT_ATTEMPTS = 3;
const CONFLICTS_LOCK_KEY = 'conflicts';

/**
 * Runs `work` in a transaction, and again after a retryable error. Rolls back if `work` throws, returns a Failure, or a statement
 * failed: a failed statement ends the transaction on both engines, even if its error is caught.
 */
export async function runTransaction<T>(
  context: TransactionContext,
  work: (tx: Transaction) => Promise<T>,
  { isolation = 'serializable', lock, retryOnUniqueViolation = [], ...waiter }: TransactionOptions = {},
): Promise<T> {
  const isRetryable = (error: unknown) =>
    context.engine.isRetryable(error) || retryOnUniqueViolation.includes(getViolatedUniqueIndex(error) ?? '');
  for (let attempt = 1; ; attempt++) {
    const requestedKeys = [...[lock ?? []].flat(), ...(attempt > MAX_CONCURRENT_ATTEMPTS ? [CONFLICTS_LOCK_KEY] : [])];
    // Unique and sorted: two transactions with the same keys in another order would deadlock.
    const lockKeys = [...new Set(requestedKeys)].sort();
    const outcome = await runOnce({ ...context, isRetryable }, work, { isolation, lockKeys, waiter });
    if (!outcome.isRetryable) {
      if (outcome.failed) throw outcome.error;
      return outcome.value;
    }
    if (attempt === MAX_ATTEMPTS) throw new DatabaseUnavailable(outcome.error);
    if (attempt < MAX_CONCURRENT_ATTEMPTS) await pause(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt * 2));
  }
}

type Outcome<T> =
  | { readonly isRetryable: true; readonly error: unknown }
  | { readonly isRetryable: false; readonly failed: true; readonly error: unknown }
  | { readonly isRetryable: false; readonly failed: false; readonly value: T };

interface BeginOptions {
  readonly isolation: Isolation;
  readonly lockKeys: readonly string[];
  readonly waiter: Waiter;
}

interface RetryPolicy {
  readonly isRetryable: (error: unknown) => boolean;
}

async function runOnce<T>(
  { engine, handles, clock, detectLong, onActionFailed, isRetryable }: TransactionContext & RetryPolicy,
  work: (tx: Transaction) => Promise<T>,
  { isolation, lockKeys, waiter }: BeginOptions,
): Promise<Outcome<T>> {
  const open = await engine.begin(isolation, lockKeys, waiter);
  const guardedConnection = guardConnection(open);
  const afterCommit: (() => void)[] = [];
  const tx = handles.transaction(guardedConnection.connection, {
    now: timestamp(clock),
    afterCommit: (action) => afterCommit.push(action),
  });
  const watch = detectLong && open.hasYielded ? detectLongTransaction(open.hasYielded) : undefined;
  let value: T;
  try {
    value = await (watch ? Promise.race([work(tx), watch.tooLong]) : work(tx));
    if (guardedConnection.failure && !isFailure(value)) throw guardedConnection.failure.error;
  } catch (error) {
    await rollBack(open, guardedConnection);
    const cause = guardedConnection.failure?.error ?? error;
    return isRetryable(cause) ? { isRetryable: true, error: cause } : { isRetryable: false, failed: true, error };
  } finally {
    watch?.end();
  }
  if (isFailure(value)) {
    await rollBack(open, guardedConnection);
    const cause = guardedConnection.failure?.error;
    return isRetryable(cause) ? { isRetryable: true, error: cause } : { isRetryable: false, failed: false, value };
  }
  try {
    guardedConnection.end();
    await open.commit();
  } catch (error) {
    return isRetryable(error) ? { isRetryable: true, error } : { isRetryable: false, failed: true, error };
  }
  for (const action of afterCommit) {
    try {
      action();
    } catch (error) {
      onActionFailed(error);
    }
  }
  return { isRetryable: false, failed: false, value };
}

interface GuardedConnection {
  readonly connection: Connection;
  readonly failure: { readonly error: unknown } | undefined;
  end(): void;
}

/** Rejects statements after the end of the transaction, and after one of its statements failed. */
function guardConnection(open: OpenTransaction): GuardedConnection {
  let hasEnded = false;
  let failure: { readonly error: unknown } | undefined;
  const connection: Connection = {
    execute(statement) {
      if (hasEnded)
        throw new Error('The transaction has ended: its handle was kept too long, or a statement was not awaited');
      if (failure) throw new Error('An earlier statement of this transaction failed', { cause: failure.error });
      const rethrow = (error: unknown) => {
        failure ??= { error };
        throw error;
      };
      try {
        const result = open.execute(statement);
        return result instanceof Promise ? result.catch(rethrow) : result;
      } catch (error) {
        return rethrow(error);
      }
    },
  };
  return {
    connection,
    get failure() {
      return failure;
    },
    end() {
      hasEnded = true;
    },
  };
}

/** Ignores errors of the rollback, because its cause matters more; the connection is discarded then. */
async function rollBack(open: OpenTransaction, guardedConnection: GuardedConnection): Promise<void> {
  guardedConnection.end();
  await open.rollback().catch(() => {});
}

function detectLongTransaction(hasYielded: () => boolean) {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error('A transaction was still open at the next macrotask: it waits for something other than SQL');
  const checkYielded = () => {
    if (hasYielded()) timer = setImmediate(checkYielded);
    else reject(error);
  };
  let timer = setImmediate(checkYielded);
  return { tooLong: promise, end: () => clearImmediate(timer) };
}

import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { isFailure } from '#runtime/failure.ts';
import type { DatabaseActivity } from './activity.ts';
import { getViolatedUniqueIndex } from './constraint-violations.ts';
import {
  type Connection,
  DatabaseUnavailable,
  type Engine,
  type Isolation,
  type OpenTransaction,
  type WritingClient,
} from './engines/engine.ts';
import type { createHandles, Transaction } from './sessions.ts';

export interface TransactionOptions extends Waiter {
  /**
   * PostgreSQL only; SQLite is always serializable. Default: serializable. Use read committed only for rows that no decision
   * depends on: PostgreSQL ignores such writes when it detects conflicts. Two serializable transactions could then both
   * succeed although one of them should fail.
   */
  readonly isolation?: Isolation;
  /**
   * Advisory lock keys: transactions with a common key run one after another, in all processes. Use it for transactions that
   * all write one row and would otherwise conflict. Several locks are acquired in sorted order.
   */
  readonly lock?: string | readonly string[] | undefined;
  /**
   * Unique indexes whose violation makes the work run again: another transaction has just committed the same value. Only for work
   * that reads the stored rows first, so that the next attempt takes the committed value into account.
   */
  readonly retryOnUniqueViolation?: readonly string[] | undefined;
}

interface TransactionContext {
  readonly engine: Engine;
  readonly activity: DatabaseActivity;
  readonly handles: ReturnType<typeof createHandles>;
  readonly clock: Clock;
  /**
   * Fails a transaction that waits for something other than SQL: it is still open at the next macrotask, although none of its
   * statements waited.
   */
  readonly detectLongTransactions: boolean;
  /** Called for an after-commit action that threw; the transaction stays committed. */
  readonly onActionFailed: (error: unknown) => void;
}

/** Number of attempts after which the database counts as unavailable. */
const MAX_ATTEMPTS = 20;
/** Maximum milliseconds between two attempts. */
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
    const transaction = await beginMeasured(context, { isolation, lockKeys, waiter });
    const startedAt = performance.now();
    context.activity.openTransactions++;
    const outcome = await runOnce({ ...context, isRetryable }, transaction, work).finally(() => {
      context.activity.openTransactions--;
      context.activity.record('transaction', startedAt);
    });
    if (!outcome.isRetryable) {
      if (outcome.failed) throw outcome.error;
      return outcome.value;
    }
    if (attempt === MAX_ATTEMPTS) throw new DatabaseUnavailable(outcome.error);
    // Exponential backoff with jitter; later attempts wait for the lock instead.
    if (attempt < MAX_CONCURRENT_ATTEMPTS) await pause(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt * 2));
  }
}

/**
 * Runs a transaction on behalf of a request. A transaction stops waiting when the client disconnects, unless the request has
 * committed one before: then it completes the request and waits to the end. A waiter in `options` takes precedence.
 */
export async function runForClient<T>(
  writer: WritingClient,
  options: TransactionOptions = {},
  run: (options: TransactionOptions) => Promise<T>,
): Promise<T> {
  const isExplicit = options.client !== undefined || options.exemptFromLimit === true;
  const result = await run(isExplicit ? options : { ...options, ...getWaiter(writer) });
  // A read committed transaction, such as a rate limit counter, leaves nothing that must be completed.
  if (!isFailure(result) && options.isolation !== 'read committed') writer.hasCommitted = true;
  return result;
}

function getWaiter({ client, hasCommitted }: WritingClient): Waiter {
  return hasCommitted ? { network: client.network, exemptFromLimit: true } : { client };
}

/** The outcome of one attempt: the error of a retryable or failed attempt, else the value of `work`. */
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

/** Begins a transaction and counts the time that it waits. */
async function beginMeasured(
  { engine, activity }: TransactionContext,
  { isolation, lockKeys, waiter }: BeginOptions,
): Promise<OpenTransaction> {
  activity.waitingTransactions++;
  try {
    return await activity.measure('wait', () => engine.begin(isolation, lockKeys, waiter));
  } finally {
    activity.waitingTransactions--;
  }
}

/** Runs `work` in a transaction that has begun, once. */
async function runOnce<T>(
  { handles, clock, detectLongTransactions, onActionFailed, isRetryable }: TransactionContext & RetryPolicy,
  transaction: OpenTransaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<Outcome<T>> {
  const guardedConnection = guardConnection(transaction);
  const afterCommit: (() => void)[] = [];
  const tx = handles.createTransaction(guardedConnection.connection, {
    now: timestamp(clock),
    afterCommit: (action) => afterCommit.push(action),
  });
  const detector =
    detectLongTransactions && transaction.hasYieldedSinceLastCall
      ? detectLongTransaction(transaction.hasYieldedSinceLastCall)
      : undefined;
  let value: T;
  try {
    value = await (detector ? Promise.race([work(tx), detector.tooLong]) : work(tx));
    // `work` caught the error of a statement, but the transaction cannot be committed anymore.
    if (guardedConnection.failure && !isFailure(value)) throw guardedConnection.failure.error;
  } catch (error) {
    await rollBack(transaction, guardedConnection);
    const cause = guardedConnection.failure?.error ?? error;
    return isRetryable(cause) ? { isRetryable: true, error: cause } : { isRetryable: false, failed: true, error };
  } finally {
    detector?.stop();
  }
  if (isFailure(value)) {
    // The Failure may be due to a statement that failed with a conflict.
    await rollBack(transaction, guardedConnection);
    const cause = guardedConnection.failure?.error;
    return isRetryable(cause) ? { isRetryable: true, error: cause } : { isRetryable: false, failed: false, value };
  }
  try {
    guardedConnection.end();
    await transaction.commit();
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
  /** The error of the first statement that failed. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Makes the connection reject further statements. */
  end(): void;
}

/** Wraps a connection that rejects statements after the end of the transaction, and after one of its statements failed. */
function guardConnection(transaction: OpenTransaction): GuardedConnection {
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
        const result = transaction.execute(statement);
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

/** Rolls back. Ignores errors, because the cause of the rollback matters more; the engine then discards the connection. */
async function rollBack(transaction: OpenTransaction, guardedConnection: GuardedConnection): Promise<void> {
  guardedConnection.end();
  await transaction.rollback().catch(() => {});
}

/** Returns a promise that rejects if the transaction is still open at the next macrotask without having yielded. */
function detectLongTransaction(hasYieldedSinceLastCall: () => boolean) {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error('A transaction was still open at the next macrotask: it waits for something other than SQL');
  const checkYielded = () => {
    if (hasYieldedSinceLastCall()) timer = setImmediate(checkYielded);
    else reject(error);
  };
  let timer = setImmediate(checkYielded);
  return { tooLong: promise, stop: () => clearImmediate(timer) };
}

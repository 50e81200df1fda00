import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { isFailure } from '#runtime/failure.ts';
import { uniqueViolation } from './constraint-violations.ts';
import type { Connection, Engine, Isolation, OpenTransaction } from './engines/engine.ts';
import { DatabaseUnavailable } from './engines/unavailable.ts';
import type { Transaction } from './handles.ts';
import type { createHandles } from './sessions.ts';

export interface TransactionOptions extends Waiter {
  /**
   * PostgreSQL only, SQLite is always serializable. Default: serializable. Read committed is for rows that nothing is
   * decided by: what is written so is not seen when PostgreSQL looks for conflicts, and with such a write between them
   * two serializable transactions both succeed where one had to fail.
   */
  readonly isolation?: Isolation;
  /**
   * Transactions of one turn run one after another, in whatever process: for those that all write one row, of which
   * serializable ones would refuse each other in vain. Several are taken in their order, which is the same everywhere.
   */
  readonly turn?: string | readonly string[] | undefined;
  /**
   * Unique indexes: work that finds one of them taken looks again, for what another has just committed decides what it
   * does. For work that takes another value then, and not the same one once more.
   */
  readonly againWhenTaken?: readonly string[] | undefined;
}

interface TransactionSurroundings {
  readonly engine: Engine;
  readonly handles: ReturnType<typeof createHandles>;
  readonly clock: Clock;
  /** Fail a transaction that is still open at the next macrotask and has not given way: it holds more than SQL. */
  readonly detectLong: boolean;
  /** Told of an after-commit action that threw; the transaction is committed all the same. */
  readonly failed: (error: unknown) => void;
}

const TRIES = 20;
const LONGEST_PAUSE = 200;

/** Transactions that conflicted this often run one after another: on a row that all want, only one gets through anyway. */
const TRIES_TOGETHER = 3;
const TURN_OF_CONFLICTS = 'conflicts';

/**
 * Runs `work` in a transaction, again when the engine asks for it. Rolled back when `work` throws, returns a Failure, or
 * has seen a statement fail: a failed statement ends the transaction on both engines, whether its error is caught or not.
 */
export async function runTransaction<T>(
  surroundings: TransactionSurroundings,
  work: (tx: Transaction) => Promise<T>,
  { isolation = 'serializable', turn, againWhenTaken = [], ...waiter }: TransactionOptions = {},
): Promise<T> {
  const mayRunAgain = (error: unknown) =>
    surroundings.engine.mayRunAgain(error) || againWhenTaken.includes(uniqueViolation(error) ?? '');
  for (let attempt = 1; ; attempt++) {
    const named = [...[turn ?? []].flat(), ...(attempt > TRIES_TOGETHER ? [TURN_OF_CONFLICTS] : [])];
    // Each once and in one order, whoever names them: two that name the same two would wait for each other for good.
    const turns = [...new Set(named)].sort();
    const outcome = await runOnce({ ...surroundings, mayRunAgain }, work, { isolation, turns, waiter });
    if (!outcome.again) {
      if (outcome.failed) throw outcome.error;
      return outcome.value;
    }
    if (attempt === TRIES) throw new DatabaseUnavailable(outcome.error);
    if (attempt < TRIES_TOGETHER) await pause(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt * 2));
  }
}

type Outcome<T> =
  | { readonly again: true; readonly error: unknown }
  | { readonly again: false; readonly failed: true; readonly error: unknown }
  | { readonly again: false; readonly failed: false; readonly value: T };

interface Beginning {
  readonly isolation: Isolation;
  readonly turns: readonly string[];
  readonly waiter: Waiter;
}

interface Retrying {
  readonly mayRunAgain: (error: unknown) => boolean;
}

async function runOnce<T>(
  { engine, handles, clock, detectLong, failed, mayRunAgain }: TransactionSurroundings & Retrying,
  work: (tx: Transaction) => Promise<T>,
  { isolation, turns, waiter }: Beginning,
): Promise<Outcome<T>> {
  const open = await engine.begin(isolation, turns, waiter);
  const guarded = guard(open);
  const afterCommit: (() => void)[] = [];
  const tx = handles.transaction(guarded.connection, {
    now: timestamp(clock),
    afterCommit: (action) => afterCommit.push(action),
  });
  const watch = detectLong && open.gaveWay ? watchLength(open.gaveWay) : undefined;
  let value: T;
  try {
    value = await (watch ? Promise.race([work(tx), watch.tooLong]) : work(tx));
    if (guarded.failure && !isFailure(value)) throw guarded.failure.error;
  } catch (error) {
    await rollBack(open, guarded);
    const cause = guarded.failure?.error ?? error;
    return mayRunAgain(cause) ? { again: true, error: cause } : { again: false, failed: true, error };
  } finally {
    watch?.end();
  }
  if (isFailure(value)) {
    await rollBack(open, guarded);
    const cause = guarded.failure?.error;
    return mayRunAgain(cause) ? { again: true, error: cause } : { again: false, failed: false, value };
  }
  try {
    guarded.end();
    await open.commit();
  } catch (error) {
    return mayRunAgain(error) ? { again: true, error } : { again: false, failed: true, error };
  }
  for (const action of afterCommit) {
    try {
      action();
    } catch (error) {
      failed(error);
    }
  }
  return { again: false, failed: false, value };
}

interface Guarded {
  readonly connection: Connection;
  readonly failure: { readonly error: unknown } | undefined;
  end(): void;
}

/** Refuses statements after the transaction's end, and after a statement of it failed. */
function guard(open: OpenTransaction): Guarded {
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  const connection: Connection = {
    execute(statement) {
      if (ended)
        throw new Error('The transaction has ended: its handle was kept too long, or a statement was not awaited');
      if (failure) throw new Error('An earlier statement of this transaction failed', { cause: failure.error });
      const failed = (error: unknown) => {
        failure ??= { error };
        throw error;
      };
      try {
        const result = open.execute(statement);
        return result instanceof Promise ? result.catch(failed) : result;
      } catch (error) {
        return failed(error);
      }
    },
  };
  return {
    connection,
    get failure() {
      return failure;
    },
    end() {
      ended = true;
    },
  };
}

/** The reason for the rollback matters more than its own trouble: the connection is thrown away then. */
async function rollBack(open: OpenTransaction, guarded: Guarded): Promise<void> {
  guarded.end();
  await open.rollback().catch(() => {});
}

function watchLength(gaveWay: () => boolean) {
  const { promise, reject } = Promise.withResolvers<never>();
  const error = new Error('A transaction was still open at the next macrotask: it waits for something other than SQL');
  const look = () => {
    if (gaveWay()) timer = setImmediate(look);
    else reject(error);
  };
  let timer = setImmediate(look);
  return { tooLong: promise, end: () => clearImmediate(timer) };
}

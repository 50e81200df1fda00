import { Worker } from 'node:worker_threads';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import type { Connection, Statement, StatementResult } from '../engine.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

/** Runs read statements in a thread with its own connection, so that they do not block the event loop. */
export interface ReadThread extends Connection {
  /** Starts the thread in advance of the first statement. */
  prepare(): void;
  /** Stops the thread when no statement waits; the next statement starts a new one. */
  stopWhenIdle(): Promise<void>;
  /** Restarts the thread, so that a new connection loads the current schema and statistics. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Messages to and from the thread, one statement at a time. */
export type ReadThreadRequest = Pick<Statement, 'sql' | 'parameters'>;
export type ReadThreadResponse = { readonly result: StatementResult } | { readonly error: unknown };

/** Milliseconds after which an idle thread stops, and after which a statement is terminated with its thread. */
const IDLE_MS = 30_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** Maximum number of waiting statements. */
const QUEUE_LIMIT = { maxWaiting: 200, retryAfter: 5 };

// The program is next to this file, as a source or as a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './read-thread-program.ts' : './read-thread-program.js',
  import.meta.url,
);

/** Creates the read thread, which starts with the first statement or with `prepare`. */
export function createReadThread(file: string): ReadThread {
  const line = createConcurrencyLimiter(1, QUEUE_LIMIT);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const end = async () => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };

  const start = () => {
    const started = new Worker(PROGRAM, { workerData: file, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    // An error without a listener would end the server. The waiter gets the error, and the next statement starts a new thread.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  const endWhenIdle = () => {
    clearTimeout(idle);
    idle = setTimeout(end, IDLE_MS).unref();
  };

  const prepare = () => {
    worker ??= start();
    endWhenIdle();
  };

  const ask = (question: ReadThreadRequest): Promise<StatementResult> => {
    clearTimeout(idle);
    worker ??= start();
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const asked = worker;
    const onMessage = (answer: ReadThreadResponse) =>
      'error' in answer ? reject(answer.error) : resolve(answer.result);
    const onFailure = (error: unknown) => {
      if (worker === asked) worker = undefined;
      reject(new DatabaseUnavailable(error));
    };
    const overdue = setTimeout(() => asked.terminate(), STATEMENT_TIMEOUT_MS);
    asked.once('message', onMessage).once('error', onFailure).once('exit', onFailure);
    asked.postMessage(question);
    return promise.finally(() => {
      clearTimeout(overdue);
      asked.off('message', onMessage).off('error', onFailure).off('exit', onFailure);
      endWhenIdle();
    });
  };

  // Starts the new thread at once, because a start takes longer than most statements.
  const renew = async () => {
    const isAsked = worker !== undefined;
    await end();
    if (isAsked) prepare();
  };

  return {
    execute: ({ sql, parameters }) => line.run(() => ask({ sql, parameters })),
    prepare: () => {
      if (worker === undefined) prepare();
    },
    stopWhenIdle: () => line.run(end, { exemptFromLimit: true }),
    restart: () => line.run(renew, { exemptFromLimit: true }),
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

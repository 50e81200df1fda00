import { Worker } from 'node:worker_threads';
import { gate } from '#runtime/concurrency-limiter.ts';
import type { Connection, Statement, StatementResult } from '../engine.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

/** Runs statements that only read in a thread with a connection of its own, so that they hold up nobody here. */
export interface ReadingThread extends Connection {
  /** Statements are about to come: the first one finds the thread running. */
  prepare(): void;
  /** Ends the thread as soon as nobody waits for it; the next statement starts another. */
  leave(): Promise<void>;
  /** The next statement is run on a new connection, which reads schema and statistics anew. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** What the thread is asked and answers, one statement at a time. */
export type Question = Pick<Statement, 'sql' | 'parameters'>;
export type Told = { readonly result: StatementResult } | { readonly error: unknown };

/** Milliseconds. The thread is ended when it was idle for so long, and when a statement takes longer than the patience. */
const IDLE = 30_000;
const PATIENCE = 30_000;

/** Statements that wait at most. */
const LINE = { waiting: 200, retryAfter: 5 };

// Beside the sources a source, beside the bundle a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './read-thread-program.ts' : './read-thread-program.js',
  import.meta.url,
);

/** Starts with the first statement, unless it is told before. */
export function createReadingThread(file: string): ReadingThread {
  const line = gate(1, LINE);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const end = async () => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };

  const start = () => {
    const started = new Worker(PROGRAM, { workerData: file, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    // An error without a listener would end the server. Whoever is waiting hears of it, and the next one starts another.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  const endWhenIdle = () => {
    clearTimeout(idle);
    idle = setTimeout(end, IDLE).unref();
  };

  const prepare = () => {
    worker ??= start();
    endWhenIdle();
  };

  const ask = (question: Question): Promise<StatementResult> => {
    clearTimeout(idle);
    worker ??= start();
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const asked = worker;
    const told = (answer: Told) => ('error' in answer ? reject(answer.error) : resolve(answer.result));
    const broken = (error: unknown) => {
      if (worker === asked) worker = undefined;
      reject(new DatabaseUnavailable(error));
    };
    const overdue = setTimeout(() => asked.terminate(), PATIENCE);
    asked.once('message', told).once('error', broken).once('exit', broken);
    asked.postMessage(question);
    return promise.finally(() => {
      clearTimeout(overdue);
      asked.off('message', told).off('error', broken).off('exit', broken);
      endWhenIdle();
    });
  };

  // Its start takes longer than most statements: it is not left to the next of those who ask.
  const renew = async () => {
    const isAsked = worker !== undefined;
    await end();
    if (isAsked) prepare();
  };

  return {
    execute: ({ sql, parameters }) => line.enter(() => ask({ sql, parameters })),
    prepare: () => {
      if (worker === undefined) prepare();
    },
    leave: () => line.enter(end, { owed: true }),
    renew: () => line.enter(renew, { owed: true }),
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

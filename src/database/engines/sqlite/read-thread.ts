import { Worker } from 'node:worker_threads';
import { ClientDisconnected, createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { type ClientContext, DatabaseUnavailable, type Statement, type StatementResult } from '../engine.ts';
import { createStatementLimiter, createWaiter } from '../long-statements.ts';

/** Runs read statements in threads with their own connections, so that they do not block the event loop. */
interface ReadThreads {
  execute(statement: Statement, origin?: ClientContext): Promise<StatementResult>;
  /** Starts a thread in advance of the first statement. */
  startThread(): void;
  /** Stops each thread after its running and waiting statements; the next statement starts a new one. */
  stopWhenIdle(): Promise<void>;
  /** Restarts the threads, so that new connections load the current schema and statistics. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Number of threads: with two, a long statement of one network does not block those of other networks. */
const THREAD_COUNT = 2;

/** Creates the read threads, which start with the first statements or with `prepare`. */
export function createReadThreads(file: string): ReadThreads {
  const threads = Array.from({ length: THREAD_COUNT }, () => createReadThread(file));
  const limiter = createStatementLimiter(THREAD_COUNT);
  const freeThreads = [...threads];
  const execute = async (statement: ReadThreadRequest, client: RequestClient | null | undefined) => {
    const thread = freeThreads.shift()!;
    try {
      if (client?.isDisconnected) throw new ClientDisconnected();
      return await thread.execute(statement, client);
    } finally {
      // Reuse the last used thread first, so that the others become idle and stop when few statements run.
      freeThreads.unshift(thread);
    }
  };
  const runInAllThreads = async (work: (thread: ReadThread) => Promise<void>) =>
    void (await Promise.all(threads.map(work)));
  return {
    execute: ({ sql, parameters }, origin) =>
      limiter.run(() => execute({ sql, parameters }, origin?.client), createWaiter(origin)),
    startThread: () => threads[0]!.start(),
    stopWhenIdle: () => runInAllThreads((thread) => thread.stopWhenIdle()),
    restart: () => runInAllThreads((thread) => thread.restart()),
    close: () => runInAllThreads((thread) => thread.close()),
  };
}

/** Data that a thread gets at its start. */
export interface ReadThreadData {
  readonly file: string;
  /** Contains 1 to interrupt the running statement, else 0. */
  readonly interruptFlag: Int32Array;
}

/** Message to the thread: the statement to run. The next one is sent after the response. */
export type ReadThreadRequest = Pick<Statement, 'sql' | 'parameters'>;
/** Message from the thread. */
export type ReadThreadResponse = { readonly result: StatementResult } | { readonly error: unknown };

/** Milliseconds after which an idle thread stops. */
const IDLE_TIMEOUT_MS = 30_000;
/** Milliseconds after which a running statement is interrupted. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Milliseconds between the interruption of a statement and the termination of its thread if the statement still runs. */
const TERMINATION_DELAY_MS = 1_000;

// The program is next to this file, as a source or as a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './read-thread-program.ts' : './read-thread-program.js',
  import.meta.url,
);

type ReadThread = ReturnType<typeof createReadThread>;

/** Creates one thread, which runs one statement at a time. */
function createReadThread(file: string) {
  const limiter = createConcurrencyLimiter(1, { maxWaiting: THREAD_COUNT, retryAfterSeconds: 1 });
  let worker: Worker | undefined;
  let interruptFlag = createInterruptFlag();
  let idleTimer: NodeJS.Timeout | undefined;

  const stopWorker = async () => {
    const stoppedWorker = worker;
    worker = undefined;
    await stoppedWorker?.terminate();
  };

  const startWorker = () => {
    interruptFlag = createInterruptFlag();
    const workerData: ReadThreadData = { file, interruptFlag };
    // A small young generation keeps the memory of a thread low.
    const newWorker = new Worker(PROGRAM, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
    // An error without a listener would end the server. The caller of `execute` gets the error, and the next statement starts a
    // new thread.
    newWorker.on('error', () => {});
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = undefined;
    });
    return newWorker;
  };

  const scheduleIdleStop = () => {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(stopWorker, IDLE_TIMEOUT_MS).unref();
  };

  const ensureStarted = () => {
    worker ??= startWorker();
    scheduleIdleStop();
  };

  const sendRequest = (request: ReadThreadRequest, client?: RequestClient | null): Promise<StatementResult> => {
    clearTimeout(idleTimer);
    worker ??= startWorker();
    // Kept in a local, because a restarted worker gets another flag.
    const flag = interruptFlag;
    Atomics.store(flag, 0, 0);
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const activeWorker = worker;
    const interrupt = () => void Atomics.store(flag, 0, 1);
    const onMessage = (response: ReadThreadResponse) => {
      if ('result' in response) resolve(response.result);
      else if (client?.isDisconnected) reject(new ClientDisconnected());
      else reject(Atomics.load(flag, 0) === 1 ? new DatabaseUnavailable(response.error) : response.error);
    };
    const onFailure = (error: unknown) => {
      if (worker === activeWorker) worker = undefined;
      reject(new DatabaseUnavailable(error));
    };
    const interruptionTimer = setTimeout(interrupt, STATEMENT_TIMEOUT_MS);
    const terminationTimer = setTimeout(() => activeWorker.terminate(), STATEMENT_TIMEOUT_MS + TERMINATION_DELAY_MS);
    client?.signal.addEventListener('abort', interrupt, { once: true });
    activeWorker.once('message', onMessage).once('error', onFailure).once('exit', onFailure);
    activeWorker.postMessage(request);
    return promise.finally(() => {
      for (const timer of [interruptionTimer, terminationTimer]) clearTimeout(timer);
      client?.signal.removeEventListener('abort', interrupt);
      activeWorker.off('message', onMessage).off('error', onFailure).off('exit', onFailure);
      scheduleIdleStop();
    });
  };

  // Starts the new thread immediately, because a start takes longer than most statements.
  const restartWorker = async () => {
    const isRunning = worker !== undefined;
    await stopWorker();
    if (isRunning) ensureStarted();
  };

  return {
    execute: (statement: ReadThreadRequest, client: RequestClient | null | undefined) =>
      limiter.run(() => sendRequest(statement, client), { exemptFromLimit: true }),
    start: () => {
      if (worker === undefined) ensureStarted();
    },
    stopWhenIdle: () => limiter.run(stopWorker, { exemptFromLimit: true }),
    restart: () => limiter.run(restartWorker, { exemptFromLimit: true }),
    async close() {
      clearTimeout(idleTimer);
      await stopWorker();
    },
  };
}

const createInterruptFlag = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

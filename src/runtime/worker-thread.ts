import { Worker } from 'node:worker_threads';
import { createConcurrencyLimiter, type QueueLimit, type Waiter } from './concurrency-limiter.ts';

/**
 * A thread for work whose time and memory depend on what users send: it runs one request at a time, is terminated when one takes too
 * long, and ends when it is idle.
 */
export interface WorkerThread<Request, Response, Question = never, Answer = never> {
  /**
   * Runs a request and returns its response. `answerQuestion` answers the questions that the program asks meanwhile; that time does not count.
   * Throws `ThreadTerminated` if the request took too much time or memory, and `QueueFull` if too many wait.
   */
  run(request: Request, options?: RunOptions<Question, Answer>): Promise<Response>;
}

interface RunOptions<Question, Answer> {
  readonly waiter?: Waiter | undefined;
  readonly answer?: (question: Question) => Promise<Answer>;
}

interface WorkerThreadOptions {
  /** The program, a module that calls `serveRequests`. */
  readonly program: URL;
  /** MiB. */
  readonly maxOldGenerationSizeMb: number;
  /** Milliseconds of work for one request. */
  readonly timeout: number;
  readonly queue: QueueLimit;
}

/** The request took too much time or memory, so that its thread was terminated. */
export class ThreadTerminated extends Error {
  constructor() {
    super('The request took too much time or memory');
  }
}

/** Milliseconds after which an idle thread ends. */
const IDLE_MS = 30_000;
const MAX_YOUNG_GENERATION_MB = 16;

/** What a program sends: the response, an error that ends the request, or a question. */
export type ThreadMessage<Response, Question> =
  | { readonly response: Response }
  | { readonly error: string }
  | { readonly question: Question };

/** Returns the URL of a program in the folder of a module: a source in development, a bundle otherwise. */
export function siblingProgram(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}

/** Creates a thread that starts with its first request. */
export function createWorkerThread<Request, Response, Question = never, Answer = never>(
  options: WorkerThreadOptions,
): WorkerThread<Request, Response, Question, Answer> {
  const limiter = createConcurrencyLimiter(1, options.queue);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Worker => {
    const newWorker = new Worker(options.program, {
      resourceLimits: {
        maxOldGenerationSizeMb: options.maxOldGenerationSizeMb,
        maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      },
    });
    // An error without a listener would end the server. The waiting request sees the exit, and the next one starts a new thread.
    newWorker.on('error', () => {});
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = undefined;
    });
    return newWorker;
  };

  const end = (endedWorker: Worker): void => {
    if (worker === endedWorker) worker = undefined;
    void endedWorker.terminate();
  };

  const runNow = async (
    request: Request,
    answerQuestion?: (question: Question) => Promise<Answer>,
  ): Promise<Response> => {
    clearTimeout(idle);
    worker ??= start();
    const current = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let remainingMs = options.timeout;
    let startedAt = performance.now();
    let timeoutTimer = setTimeout(end, remainingMs, current);
    const reply = async (question: Question) => {
      clearTimeout(timeoutTimer);
      remainingMs -= performance.now() - startedAt;
      const given = await answerQuestion!(question);
      startedAt = performance.now();
      timeoutTimer = setTimeout(end, remainingMs, current);
      current.postMessage(given);
    };
    const onMessage = (message: ThreadMessage<Response, Question>) => {
      if ('response' in message) resolve(message.response);
      else if ('error' in message) reject(new Error(`A thread failed: ${message.error}`));
      else
        reply(message.question).catch((error) => {
          // The program waits for an answer that does not come: only a new thread can serve the next request.
          end(current);
          reject(error);
        });
    };
    const onExit = () => reject(new ThreadTerminated());
    current.on('message', onMessage).once('exit', onExit);
    current.ref();
    current.postMessage(request);
    try {
      return await promise;
    } finally {
      clearTimeout(timeoutTimer);
      current.off('message', onMessage).off('exit', onExit);
      current.unref();
      idle = setTimeout(end, IDLE_MS, current).unref();
    }
  };

  return { run: (request, { waiter, answer } = {}) => limiter.run(() => runNow(request, answer), waiter) };
}

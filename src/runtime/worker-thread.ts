import { Worker } from 'node:worker_threads';
import { createConcurrencyLimiter, type QueueLimit, type Waiter } from './concurrency-limiter.ts';

/**
 * A thread for work whose time and memory depend on user input. It runs one request at a time. It is terminated if a request
 * takes too long, and ends when it is idle.
 */
export interface WorkerThread<Request, Response, Question = never, Answer = never> {
  /**
   * Runs a request and returns its response. `answerQuestion` answers questions of the program; that time does not
   * count. Throws `ThreadTerminated` if the request took too much time or memory, and `QueueFull` if too many wait.
   */
  run(request: Request, options?: RunOptions<Question, Answer>): Promise<Response>;
}

interface RunOptions<Question, Answer> {
  readonly waiter?: Waiter | undefined;
  readonly answerQuestion?: (question: Question) => Promise<Answer>;
}

interface WorkerThreadOptions {
  /** The program, a module that calls `serveRequests`. */
  readonly program: URL;
  /** Maximum heap size (V8's old generation) in MiB. */
  readonly maxOldGenerationSizeMb: number;
  /** Milliseconds of work for one request. */
  readonly timeoutMs: number;
  readonly queue: QueueLimit;
}

/** Thrown when a request took too much time or memory, so that its thread was terminated. */
export class ThreadTerminated extends Error {
  constructor() {
    super('The request took too much time or memory');
  }
}

/** Milliseconds after which an idle thread ends. */
const IDLE_MS = 30_000;
const MAX_YOUNG_GENERATION_MB = 16;

/** A message from the program: the response, an error that ends the request, or a question. */
export type ThreadMessage<Response, Question> =
  | { readonly response: Response }
  | { readonly error: string }
  | { readonly question: Question };

/** Returns the URL of a program in the folder of a module: a source in development, a bundle otherwise. */
export function resolveSiblingProgram(moduleUrl: string, name: string): URL {
  return new URL(`./${name}.${moduleUrl.endsWith('.ts') ? 'ts' : 'js'}`, moduleUrl);
}

/** Creates a thread that starts with its first request. */
export function createWorkerThread<Request, Response, Question = never, Answer = never>(
  options: WorkerThreadOptions,
): WorkerThread<Request, Response, Question, Answer> {
  const limiter = createConcurrencyLimiter(1, options.queue);
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const startWorker = (): Worker => {
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

  const terminateWorker = (oldWorker: Worker): void => {
    if (worker === oldWorker) worker = undefined;
    void oldWorker.terminate();
  };

  const runRequest = async (
    request: Request,
    answerQuestion?: (question: Question) => Promise<Answer>,
  ): Promise<Response> => {
    clearTimeout(idleTimer);
    worker ??= startWorker();
    const currentWorker = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    let remainingMs = options.timeoutMs;
    let startedAt = performance.now();
    let timeoutTimer = setTimeout(terminateWorker, remainingMs, currentWorker);
    const replyToQuestion = async (question: Question) => {
      clearTimeout(timeoutTimer);
      remainingMs -= performance.now() - startedAt;
      const answer = await answerQuestion!(question);
      startedAt = performance.now();
      timeoutTimer = setTimeout(terminateWorker, remainingMs, currentWorker);
      currentWorker.postMessage(answer);
    };
    const onMessage = (message: ThreadMessage<Response, Question>) => {
      if ('response' in message) resolve(message.response);
      else if ('error' in message) reject(new Error(`A thread failed: ${message.error}`));
      else
        replyToQuestion(message.question).catch((error) => {
          // The program waits for an answer that does not come: only a new thread can serve the next request.
          terminateWorker(currentWorker);
          reject(error);
        });
    };
    const onExit = () => reject(new ThreadTerminated());
    currentWorker.on('message', onMessage).once('exit', onExit);
    currentWorker.ref();
    currentWorker.postMessage(request);
    try {
      return await promise;
    } finally {
      clearTimeout(timeoutTimer);
      currentWorker.off('message', onMessage).off('exit', onExit);
      currentWorker.unref();
      idleTimer = setTimeout(terminateWorker, IDLE_MS, currentWorker).unref();
    }
  };

  return {
    run: (request, { waiter, answerQuestion } = {}) => limiter.run(() => runRequest(request, answerQuestion), waiter),
  };
}

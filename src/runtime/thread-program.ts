import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from './worker-thread.ts';

/**
 * Runs the program of a worker thread: handles one request at a time, as `createWorkerThread` sends them. `ask` sends a question to the
 * server and returns its answer.
 */
export function serveRequests<Request, Response, Question = never, Answer = never>(
  handle: (request: Request, ask: (question: Question) => Promise<Answer>) => Response | Promise<Response>,
): void {
  let onAnswer: ((answer: Answer) => void) | undefined;
  const send = (message: ThreadMessage<Response, Question>) => parentPort!.postMessage(message);
  const ask = (question: Question) =>
    new Promise<Answer>((resolve) => {
      onAnswer = resolve;
      send({ question });
    });
  const respond = async (request: Request) => {
    try {
      send({ response: await handle(request, ask) });
    } catch (error) {
      send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  parentPort!.on('message', (message: Request | Answer) => {
    const resolve = onAnswer;
    onAnswer = undefined;
    if (resolve !== undefined) resolve(message as Answer);
    else void respond(message as Request);
  });
}

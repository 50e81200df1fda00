import { parentPort } from 'node:worker_threads';
import type { ThreadMessage } from './worker-thread.ts';

/**
 * Handles the requests that `createWorkerThread` sends to this thread, one at a time. `ask` sends a question to the server and
 * returns the answer.
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
    // The server sends one request at a time, so a message that arrives while a question is open is its answer.
    const resolve = onAnswer;
    onAnswer = undefined;
    if (resolve !== undefined) resolve(message as Answer);
    else void respond(message as Request);
  });
}

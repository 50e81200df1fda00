import { Worker } from 'node:worker_threads';
import { createConcurrencyLimiter, QueueFull, type Waiter } from '#runtime/concurrency-limiter.ts';

export type RenderRequest = { readonly markdown: string } | { readonly yaml: string };

/** The result: HTML, or front matter as JSON. Empty if the HTML would be too large. */
export interface RenderResponse {
  readonly html?: string;
  readonly matter?: string;
}

/** Milliseconds after which an idle thread ends, and after which a thread is terminated because one text takes too long. */
const IDLE_MS = 30_000;
const RENDER_TIMEOUT_MS = 5_000;
const QUEUE_LIMIT = { maxWaiting: 100, retryAfter: 5 };

/** Memory limits of a thread in MiB. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

// The program is next to this file, as a source or as a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './render-thread-program.ts' : './render-thread-program.js',
  import.meta.url,
);

/** Maximum characters of a short text, which always renders in a few milliseconds. */
const MAX_SHORT_LENGTH = 16_384;

export function isLongMarkdown(text: string): boolean {
  return text.length > MAX_SHORT_LENGTH;
}

/** Two threads, so that short texts never wait for long ones. Threads can be terminated and have memory limits. */
const [short, long] = [createThread(), createThread()];

/**
 * Renders Markdown as safe HTML: raw HTML is escaped, and links only lead to web pages and mail addresses. Throws `QueueFull` if
 * it takes too much time or memory, or if too many texts wait.
 */
export async function renderMarkdown(markdown: string, waiter?: Waiter): Promise<string> {
  const { html } = await threadFor(markdown)({ markdown }, waiter);
  if (html === undefined) throw new QueueFull(QUEUE_LIMIT);
  return html;
}

/** Parses a YAML mapping of plain values; returns an empty object for anything else. Throws as `renderMarkdown`. */
export async function parseYamlMapping(yaml: string, waiter?: Waiter): Promise<Readonly<Record<string, unknown>>> {
  const { matter } = await threadFor(yaml)({ yaml }, waiter);
  return JSON.parse(matter ?? '{}');
}

function threadFor(text: string): Thread {
  return isLongMarkdown(text) ? long : short;
}

/** Sends requests to a thread, one after another. */
type Thread = (question: RenderRequest, waiter?: Waiter) => Promise<RenderResponse>;

function createThread(): Thread {
  const line = createConcurrencyLimiter(1, QUEUE_LIMIT);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function ask(question: RenderRequest): Promise<RenderResponse> {
    clearTimeout(idle);
    worker ??= start();
    const asked = worker;
    const { promise, resolve, reject } = Promise.withResolvers<RenderResponse>();
    const giveUp = () => reject(new QueueFull(QUEUE_LIMIT));
    const overdue = setTimeout(() => asked.terminate(), RENDER_TIMEOUT_MS);
    asked.once('message', resolve).once('exit', giveUp);
    asked.ref();
    asked.postMessage(question);
    try {
      return await promise;
    } finally {
      clearTimeout(overdue);
      asked.off('message', resolve).off('exit', giveUp);
      asked.unref();
      idle = setTimeout(() => worker?.terminate(), IDLE_MS).unref();
    }
  }

  function start(): Worker {
    const started = new Worker(PROGRAM, { resourceLimits: MEMORY_LIMITS });
    // An error without a listener would end the server. Waiters see the exit, and the next request starts a new thread.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  return (question, waiter) => line.run(() => ask(question), waiter);
}

import { Worker } from 'node:worker_threads';
import { gate, QueueFull, type Waiter } from '#runtime/concurrency-limiter.ts';

/** Pages that others have written are read in threads: these can be ended, and take no more memory than they may. */

export type Question = { readonly markdown: string } | { readonly yaml: string };

/** `matter`: as JSON. Nothing, when there would be too much of it. */
export interface Answer {
  readonly html?: string;
  readonly matter?: string;
}

/** Milliseconds: a thread ends when it was idle for so long, and when one text takes longer than the patience. */
const IDLE = 30_000;
const PATIENCE = 5_000;
const LINE = { waiting: 100, retryAfter: 5 };

/** MiB that a thread may hold. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

// Beside the sources a source, beside the bundle a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './render-thread-program.ts' : './render-thread-program.js',
  import.meta.url,
);

/** So many characters are read in some milliseconds, whatever they are. */
const SHORT = 16_384;

export function isLong(text: string): boolean {
  return text.length > SHORT;
}

/** What is short never waits for what is long, which may take as long as the patience lasts. */
const [short, long] = [createThread(), createThread()];

/**
 * Markdown as HTML in which nothing is active: tags of its own are shown as text, links lead to pages and addresses only.
 * Throws `QueueFull` when it takes too long, or too much memory, or when very many wait.
 */
export async function renderMarkdown(markdown: string, waiter?: Waiter): Promise<string> {
  const { html } = await threadFor(markdown)({ markdown }, waiter);
  if (html === undefined) throw new QueueFull(LINE);
  return html;
}

/** The mapping that a text in YAML is; of what is broken, or more than plain values, nothing. Throws as `renderMarkdown`. */
export async function readYamlMapping(yaml: string, waiter?: Waiter): Promise<Readonly<Record<string, unknown>>> {
  const { matter } = await threadFor(yaml)({ yaml }, waiter);
  return JSON.parse(matter ?? '{}');
}

function threadFor(text: string): Thread {
  return isLong(text) ? long : short;
}

/** Asks one question after the other. */
type Thread = (question: Question, waiter?: Waiter) => Promise<Answer>;

function createThread(): Thread {
  const line = gate(1, LINE);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function ask(question: Question): Promise<Answer> {
    clearTimeout(idle);
    worker ??= start();
    const asked = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const giveUp = () => reject(new QueueFull(LINE));
    const overdue = setTimeout(() => asked.terminate(), PATIENCE);
    asked.once('message', resolve).once('exit', giveUp);
    asked.ref();
    asked.postMessage(question);
    try {
      return await promise;
    } finally {
      clearTimeout(overdue);
      asked.off('message', resolve).off('exit', giveUp);
      asked.unref();
      idle = setTimeout(() => worker?.terminate(), IDLE).unref();
    }
  }

  function start(): Worker {
    const started = new Worker(PROGRAM, { resourceLimits: MEMORY });
    // An error without a listener would end the server. Whoever is waiting hears of the end, and the next one starts another.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  return (question, waiter) => line.enter(() => ask(question), waiter);
}

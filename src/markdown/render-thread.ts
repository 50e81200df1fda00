import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { QueueFull, type Waiter } from '#runtime/concurrency-limiter.ts';
import {
  createWorkerThread,
  resolveSiblingProgram,
  ThreadTerminated,
  type WorkerThread,
} from '#runtime/worker-thread.ts';

export type RenderRequest = { readonly markdown: string } | { readonly yaml: string };

/** The result: HTML, or front matter as JSON. Empty if the HTML would be too large. */
export interface RenderResponse {
  readonly html?: string;
  readonly matter?: string;
}

const QUEUE_LIMIT = { maxWaiting: 100, retryAfterSeconds: 5 };

/** Maximum characters of a short text, which always renders in a few milliseconds. */
const MAX_SHORT_LENGTH = 16_384;

/** Returns whether the text may take long, so that it is rendered in the thread for long texts. */
export function isLongMarkdown(text: string): boolean {
  return text.length > MAX_SHORT_LENGTH;
}

/** Two threads, so that short texts never wait for long ones. */
const [shortTextThread, longTextThread] = [createThread(), createThread()];

function createThread(): WorkerThread<RenderRequest, RenderResponse> {
  return createWorkerThread({
    program: resolveSiblingProgram(import.meta.url, 'render-thread-program'),
    maxOldGenerationSizeMb: 384,
    timeoutMs: 5_000,
    queue: QUEUE_LIMIT,
  });
}

/** Digests of texts that took too much time or memory. They expire after 10 minutes, because the machine may have been busy. */
const expensiveTexts = new LRUCache<string, true>({ max: 1_000, ttl: 10 * 60_000 });

const computeDigest = (text: string) => hash('sha1', text, 'base64url');

/** Throws `QueueFull` if this text took too much time or memory within the last 10 minutes. Call it before waiting for a slot. */
export function rejectExpensiveText(text: string): void {
  if (expensiveTexts.size > 0 && expensiveTexts.has(computeDigest(text))) throw new QueueFull(QUEUE_LIMIT);
}

/**
 * Renders Markdown as safe HTML: raw HTML is escaped, and links only lead to web pages and mail addresses. Throws `QueueFull` if
 * it takes too much time or memory, or if too many texts wait.
 */
export async function renderMarkdown(markdown: string, waiter?: Waiter): Promise<string> {
  const { html } = await runInThread(markdown, { markdown }, waiter);
  if (html === undefined) throw toQueueFull(markdown);
  return html;
}

/** Parses a YAML mapping of plain values; returns an empty object for anything else. Throws as `renderMarkdown`. */
export async function parseYamlMapping(yaml: string, waiter?: Waiter): Promise<Readonly<Record<string, unknown>>> {
  const { matter } = await runInThread(yaml, { yaml }, waiter);
  return JSON.parse(matter ?? '{}');
}

async function runInThread(text: string, request: RenderRequest, waiter: Waiter | undefined): Promise<RenderResponse> {
  try {
    return await (isLongMarkdown(text) ? longTextThread : shortTextThread).run(request, { waiter });
  } catch (error) {
    throw error instanceof ThreadTerminated ? toQueueFull(text) : error;
  }
}

/** Records that the text is too expensive, and returns the error. */
function toQueueFull(text: string): QueueFull {
  expensiveTexts.set(computeDigest(text), true);
  return new QueueFull(QUEUE_LIMIT);
}

import { isLongMarkdown, rejectExpensiveText } from '#markdown/render-thread.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';

/**
 * Concurrency limits for parsing and rendering page texts: one text per client network at a time. Many slow texts of
 * one client thus delay other clients by one text only.
 */
const LIMITS = { perNetwork: 1, total: 100, waiting: 50 };
const slots = { short: createConcurrencySlots(LIMITS), long: createConcurrencySlots(LIMITS) };

/**
 * The client that requests a text. `afterWrite`: the response to a write, which no limit may reject, because the page is
 * already committed.
 */
export type PageReader = { readonly client: RequestClient } | 'afterWrite';

/** Calls `read` in a slot of the client, and returns its result. Rejects texts that are too expensive to parse. */
export async function runInReadQueue<Result>(
  reader: PageReader,
  text: string,
  read: (waiter: Waiter) => Promise<Result>,
): Promise<Result> {
  if (reader === 'afterWrite') return read({ exemptFromLimit: true });
  rejectExpensiveText(text);
  const { client } = reader;
  const release = await slots[isLongMarkdown(text) ? 'long' : 'short'].take(client.network, client);
  try {
    return await read({ client });
  } finally {
    release();
  }
}

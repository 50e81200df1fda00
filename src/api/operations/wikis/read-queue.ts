import { isLongMarkdown, rejectExpensiveText } from '#markdown/render-thread.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';

/**
 * Concurrency limits for parsing and rendering page texts: one text per client network at a time. A client with many
 * slow texts thus delays others by one text only.
 */
const LIMITS = { perNetwork: 1, total: 100, waiting: 50 };
const slots = { short: createConcurrencySlots(LIMITS), long: createConcurrencySlots(LIMITS) };

/** The client that requests a text. A writer is exempt: the page is already committed and is returned in any case. */
export type PageReader = { readonly client: RequestClient } | 'its writer';

export async function runInReadQueue<Result>(
  reader: PageReader,
  text: string,
  read: (waiter: Waiter) => Promise<Result>,
): Promise<Result> {
  if (reader === 'its writer') return read({ exemptFromLimit: true });
  rejectExpensiveText(text);
  const { client } = reader;
  const release = await slots[isLongMarkdown(text) ? 'long' : 'short'].take(client.network, client);
  try {
    return await read({ client });
  } finally {
    release();
  }
}

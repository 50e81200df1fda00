import { isLongMarkdown } from '#markdown/render-thread.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import type { StreamReceiver } from '#rate-limits/stream-limits.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';

/**
 * Texts that were made to be read for as long as possible wait for one another: one of each network is read at a time, so
 * that others wait for one of them and not for all.
 */
const BOUNDS = { each: 1, all: 100, waiting: 50 };
const places = { short: createConcurrencySlots(BOUNDS), long: createConcurrencySlots(BOUNDS) };

/** For whom a text is read. What has just been written is there already, and is shown to its writer in any case. */
export type PageReader = StreamReceiver | 'its writer';

export async function runInReadQueue<Result>(
  reader: PageReader,
  text: string,
  read: (waiter: Waiter) => Promise<Result>,
): Promise<Result> {
  if (reader === 'its writer') return read({ exemptFromLimit: true });
  const { client, clientAddress } = reader;
  const leave = await places[isLongMarkdown(text) ? 'long' : 'short'].take(clientAddress, client);
  try {
    return await read({ client });
  } finally {
    leave();
  }
}

import type { Client } from '#runtime/concurrency-limiter.ts';

/** A client on whose behalf nobody waits longer than this: milliseconds. */
export function patient(client: Client, longest: number): Client & { readonly isOver: boolean } {
  const over = AbortSignal.timeout(longest);
  return {
    get gone() {
      return client.gone || over.aborted;
    },
    get signal() {
      return AbortSignal.any([client.signal, over]);
    },
    get isOver() {
      return over.aborted && !client.gone;
    },
  };
}

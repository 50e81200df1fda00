import type { RequestClient } from '#runtime/concurrency-limiter.ts';

/** A client on whose behalf nobody waits longer than this: milliseconds. */
export function withMaxWait(client: RequestClient, longest: number): RequestClient & { readonly isOver: boolean } {
  const over = AbortSignal.timeout(longest);
  return {
    get isDisconnected() {
      return client.isDisconnected || over.aborted;
    },
    get signal() {
      return AbortSignal.any([client.signal, over]);
    },
    get isOver() {
      return over.aborted && !client.isDisconnected;
    },
  };
}

import type { RequestClient } from '#runtime/concurrency-limiter.ts';

/** Returns a client that counts as disconnected after this many milliseconds. */
export function withMaxWait(client: RequestClient, longest: number): RequestClient & { readonly isOver: boolean } {
  const over = AbortSignal.timeout(longest);
  return {
    network: client.network,
    measureStall: () => client.measureStall(),
    disconnect: () => client.disconnect(),
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

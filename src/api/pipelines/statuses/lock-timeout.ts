import type { RequestClient } from '#runtime/concurrency-limiter.ts';

/** Returns a client that counts as disconnected after `maxWaitMs`; `isOver` is whether that limit was the reason. */
export function withMaxWait(client: RequestClient, maxWaitMs: number): RequestClient & { readonly isOver: boolean } {
  const timeoutSignal = AbortSignal.timeout(maxWaitMs);
  return {
    network: client.network,
    measureStall: () => client.measureStall(),
    disconnect: () => client.disconnect(),
    get isDisconnected() {
      return client.isDisconnected || timeoutSignal.aborted;
    },
    get signal() {
      return AbortSignal.any([client.signal, timeoutSignal]);
    },
    get isOver() {
      return timeoutSignal.aborted && !client.isDisconnected;
    },
  };
}

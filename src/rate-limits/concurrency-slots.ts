import { createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { getClientNetwork } from './client-network.ts';

/** Slots for requests whose duration the client determines: limited per client network and in total. */
export interface ConcurrencySlots {
  /**
   * Waits for a slot and returns a function that releases it, which may be called more than once. Rejects with
   * `QueueFull` if too many wait, and with `ClientDisconnected` if the client disconnects while waiting.
   */
  take(address: string, client?: RequestClient): Promise<() => void>;
}

interface SlotLimits {
  /** Slots of one network. */
  readonly perNetwork: number;
  /** Slots of all networks together. */
  readonly total: number;
  /** Queue length as a multiple of the slots; default 2. */
  readonly waiting?: number;
}

/** Seconds for the Retry-After header. */
const RETRY_AFTER_SECONDS = 10;

/** Creates slots with these limits, in the memory of this process. */
export function createConcurrencySlots({ perNetwork, total, waiting = 2 }: SlotLimits): ConcurrencySlots {
  const limiter = createConcurrencyLimiter(
    total,
    { maxWaiting: total * waiting, retryAfterSeconds: RETRY_AFTER_SECONDS },
    perNetwork,
  );
  return { take: (address, client) => limiter.acquire({ client, network: getClientNetwork(address) }) };
}

import ipaddr from 'ipaddr.js';
import { createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';

/** Slots for requests whose duration the client determines: limited per client network and in total. */
interface ConcurrencySlots {
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

/**
 * Returns the network by which limits count a client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * connection has all of its addresses.
 */
export function getClientNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : `${parsed.parts.slice(0, 4).join(':')}/64`;
}

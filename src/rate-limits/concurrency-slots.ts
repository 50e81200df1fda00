import { type ConcurrencyLimiter, createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { getClientNetwork } from './client-network.ts';

/** Slots for requests that may last as long as the client likes: limited per client network and in total. */
export interface ConcurrencySlots {
  /**
   * Waits for a slot and returns a function that releases it, which may be called more than once. Rejects with
   * `QueueFull` if too many wait, and with `ClientDisconnected` if the client disconnects while waiting.
   */
  take(address: string, client?: RequestClient): Promise<() => void>;
}

interface SlotLimits {
  readonly each: number;
  readonly all: number;
  /** Queue length as a multiple of the slots; default 2. */
  readonly waiting?: number;
}

/** In seconds; the work is longer than most. */
const RETRY_AFTER = 10;

export function createConcurrencySlots({ each, all, waiting = 2 }: SlotLimits): ConcurrencySlots {
  const queueLimit = (places: number) => ({ maxWaiting: places * waiting, retryAfter: RETRY_AFTER });
  const total = createConcurrencyLimiter(all, queueLimit(all));
  const networks = new Map<string, { readonly gate: ConcurrencyLimiter; users: number }>();
  return {
    async take(address, client) {
      const key = getClientNetwork(address);
      const network = networks.get(key) ?? { gate: createConcurrencyLimiter(each, queueLimit(each)), users: 0 };
      networks.set(key, network);
      network.users++;
      const releaseNetwork = () => {
        network.users--;
        if (network.users === 0) networks.delete(key);
      };
      try {
        return await takeBoth([network.gate, total], client, releaseNetwork);
      } catch (error) {
        releaseNetwork();
        throw error;
      }
    },
  };
}

async function takeBoth(
  [first, second]: readonly [ConcurrencyLimiter, ConcurrencyLimiter],
  client: RequestClient | undefined,
  after: () => void,
): Promise<() => void> {
  const releaseFirst = await first.acquire({ client });
  const releaseSecond = await second.acquire({ client }).catch((error: unknown) => {
    releaseFirst();
    throw error;
  });
  let released = false;
  return () => {
    if (released) return;
    released = true;
    releaseSecond();
    releaseFirst();
    after();
  };
}

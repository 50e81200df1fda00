import { type Client, type Gate, gate } from '#runtime/concurrency-limiter.ts';
import { networkOf } from './client-network.ts';

/** Places at work that may last as long as its client likes: so many for those behind one address, so many in all. */
export interface Places {
  /**
   * Waits for a place; it is free again when the function is called, be it once or oftener. Fails with `QueueFull` when too
   * many wait already, and with `WaiterGone` when the client goes away while it waits.
   */
  take(address: string, client?: Client): Promise<() => void>;
}

interface Bounds {
  readonly each: number;
  readonly all: number;
  /** So many times as many as there are places may wait for one: 2. */
  readonly waiting?: number;
}

/** In seconds: longer work than most. */
const RETRY_AFTER = 10;

export function createPlaces({ each, all, waiting = 2 }: Bounds): Places {
  const line = (places: number) => ({ waiting: places * waiting, retryAfter: RETRY_AFTER });
  const everybody = gate(all, line(all));
  const networks = new Map<string, { readonly gate: Gate; users: number }>();
  return {
    async take(address, client) {
      const key = networkOf(address);
      const network = networks.get(key) ?? { gate: gate(each, line(each)), users: 0 };
      networks.set(key, network);
      network.users++;
      const forget = () => {
        network.users--;
        if (network.users === 0) networks.delete(key);
      };
      try {
        return await both([network.gate, everybody], client, forget);
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

async function both(
  [first, second]: readonly [Gate, Gate],
  client: Client | undefined,
  after: () => void,
): Promise<() => void> {
  const leaveFirst = await first.take({ client });
  const leaveSecond = await second.take({ client }).catch((error: unknown) => {
    leaveFirst();
    throw error;
  });
  let left = false;
  return () => {
    if (left) return;
    left = true;
    leaveSecond();
    leaveFirst();
    after();
  };
}

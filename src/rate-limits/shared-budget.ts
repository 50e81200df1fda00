import { type Client, WaiterGone } from '#runtime/concurrency-limiter.ts';
import { networkOf } from './client-network.ts';

/** Something that there is only so much of, in units of its own: so much for those behind one address, so much in all. */
export interface Shares {
  /** Takes so much; false, and nothing is taken: there is not so much left. */
  take(address: string, amount: number): boolean;
  /**
   * Takes so much as soon as it is there; those who wait come in their order, but nobody waits for what only another
   * network lacks. How many wait is for others to bound. Fails with `WaiterGone` when the client goes away meanwhile.
   */
  wait(address: string, amount: number, client?: Client): Promise<void>;
  /** Gives back what was taken. */
  giveBack(address: string, amount: number): void;
}

interface Bounds {
  readonly each: number;
  readonly all: number;
}

export function createShares({ each, all }: Bounds): Shares {
  const networks = new Map<string, number>();
  const waiting = new Set<() => void>();
  let taken = 0;
  const change = (network: string, amount: number) => {
    taken += amount;
    const own = (networks.get(network) ?? 0) + amount;
    if (own > 0) networks.set(network, own);
    else networks.delete(network);
  };
  const take = (address: string, amount: number) => {
    const network = networkOf(address);
    if (taken + amount > all || (networks.get(network) ?? 0) + amount > each) return false;
    change(network, amount);
    return true;
  };
  return {
    take,
    async wait(address, amount, client) {
      if (client?.gone) throw new WaiterGone();
      if (take(address, amount)) return;
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          waiting.delete(look);
          client?.signal.removeEventListener('abort', leave);
        };
        const leave = () => {
          end();
          reject(new WaiterGone());
        };
        const look = () => {
          if (!take(address, amount)) return;
          end();
          resolve();
        };
        waiting.add(look);
        client?.signal.addEventListener('abort', leave, { once: true });
      });
    },
    giveBack(address, amount) {
      change(networkOf(address), -amount);
      for (const look of waiting) look();
    },
  };
}

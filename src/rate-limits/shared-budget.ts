import { ClientDisconnected, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { getClientNetwork } from './client-network.ts';

/** A shared budget of any unit: limited per client network and in total. */
export interface SharedBudget {
  /** Takes an amount; returns false and takes nothing if too little is left. */
  take(address: string, amount: number): boolean;
  /**
   * Takes an amount as soon as it is available. Waiters are served in order, but do not wait for another network's
   * limit. The number of waiters is limited elsewhere. Rejects with `ClientDisconnected` if the client disconnects
   * while waiting.
   */
  wait(address: string, amount: number, client?: RequestClient): Promise<void>;
  /** Returns an amount that was taken. */
  release(address: string, amount: number): void;
}

interface BudgetLimits {
  readonly each: number;
  readonly all: number;
}

export function createSharedBudget({ each, all }: BudgetLimits): SharedBudget {
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
    const network = getClientNetwork(address);
    if (taken + amount > all || (networks.get(network) ?? 0) + amount > each) return false;
    change(network, amount);
    return true;
  };
  return {
    take,
    async wait(address, amount, client) {
      if (client?.isDisconnected) throw new ClientDisconnected();
      if (take(address, amount)) return;
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          waiting.delete(look);
          client?.signal.removeEventListener('abort', leave);
        };
        const leave = () => {
          end();
          reject(new ClientDisconnected());
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
    release(address, amount) {
      change(getClientNetwork(address), -amount);
      for (const look of waiting) look();
    },
  };
}

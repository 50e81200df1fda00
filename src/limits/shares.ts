import { networkOf } from './network.ts';

/** Something that there is only so much of, in units of its own: so much for those behind one address, so much in all. */
export interface Shares {
  /** Takes so much; false, and nothing is taken: there is not so much left. */
  take(address: string, amount: number): boolean;
  /** Gives back what was taken. */
  giveBack(address: string, amount: number): void;
}

export function createShares({ each, all }: { readonly each: number; readonly all: number }): Shares {
  const networks = new Map<string, number>();
  let taken = 0;
  const change = (network: string, amount: number) => {
    taken += amount;
    const own = (networks.get(network) ?? 0) + amount;
    if (own > 0) networks.set(network, own);
    else networks.delete(network);
  };
  return {
    take(address, amount) {
      const network = networkOf(address);
      if (taken + amount > all || (networks.get(network) ?? 0) + amount > each) return false;
      change(network, amount);
      return true;
    },
    giveBack: (address, amount) => change(networkOf(address), -amount),
  };
}

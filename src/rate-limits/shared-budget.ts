import { ClientDisconnected, MAX_STALL_MS, type RequestClient, STALL_CHECK_MS } from '#runtime/concurrency-limiter.ts';

/**
 * A budget in any unit, limited per client network and in total. When a reservation fails because of the limit of a
 * network, stalled clients of that network are disconnected; because of the total limit, stalled clients of all networks.
 */
interface SharedBudget {
  /** Makes the client hold at least this amount; returns false and changes nothing if too little is left. */
  reserve(client: RequestClient, amount: number): boolean;
  /**
   * Makes the client hold at least this amount as soon as it is available. Waiters are served in order, but do not wait for
   * another network's limit. The number of waiters is limited elsewhere. Rejects with `ClientDisconnected` if the client
   * disconnects while waiting.
   */
  wait(client: RequestClient, amount: number): Promise<void>;
  /** Makes the client hold at most this amount, by default nothing. */
  release(client: RequestClient, rest?: number): void;
  /** Returns whether the client could reserve this amount in addition. */
  isAvailable(client: RequestClient, amount: number): boolean;
}

interface BudgetLimits {
  readonly perNetwork: number;
  readonly total: number;
  /** Extra amount on top of `total`, only for networks that hold at most a sixteenth of it. Default 0. */
  readonly extraForSmallHolders?: number;
}

/** A network may hold at most this fraction, a sixteenth, of the extra amount. */
const EXTRA_SHARES = 16;

/** Milliseconds after a failed reservation during which stalled clients are disconnected. */
const STALL_CHECK_PERIOD_MS = 10_000;

/** Represents all networks in a set of networks. */
const ALL_NETWORKS = '*';

export function createSharedBudget({ perNetwork, total, extraForSmallHolders = 0 }: BudgetLimits): SharedBudget {
  const amountsByClient = new Map<RequestClient, number>();
  const amountsByNetwork = new Map<string, number>();
  const waiters = new Set<() => void>();
  /** The networks whose limit made a reservation fail. */
  const exhaustedNetworks = new Set<string>();
  let lastFailureAt = 0;
  let checkTimer: NodeJS.Timeout | undefined;
  let heldTotal = 0;

  const getNetworkTotal = (network: string) => amountsByNetwork.get(network) ?? 0;

  function isFree(network: string, amount: number): boolean {
    const networkTotal = getNetworkTotal(network) + amount;
    if (networkTotal <= extraForSmallHolders / EXTRA_SHARES) return heldTotal + amount <= total + extraForSmallHolders;
    // An amount that never fits is granted to a network that holds nothing.
    if (amount > perNetwork) return networkTotal === amount && heldTotal < total;
    return networkTotal <= perNetwork && heldTotal + amount <= total;
  }

  function changeTotals(client: RequestClient, amount: number): void {
    const clientTotal = (amountsByClient.get(client) ?? 0) + amount;
    if (clientTotal > 0) amountsByClient.set(client, clientTotal);
    else amountsByClient.delete(client);
    const networkTotal = getNetworkTotal(client.network) + amount;
    if (networkTotal > 0) amountsByNetwork.set(client.network, networkTotal);
    else amountsByNetwork.delete(client.network);
    heldTotal += amount;
  }

  function reserve(client: RequestClient, amount: number): boolean {
    const missingAmount = amount - (amountsByClient.get(client) ?? 0);
    if (missingAmount <= 0) return true;
    if (isFree(client.network, missingAmount)) {
      changeTotals(client, missingAmount);
      return true;
    }
    lastFailureAt = performance.now();
    exhaustedNetworks.add(heldTotal + missingAmount > total ? ALL_NETWORKS : client.network);
    checkTimer ??= setInterval(checkStalls, STALL_CHECK_MS).unref();
    return false;
  }

  function checkStalls(): void {
    if (waiters.size === 0 && performance.now() - lastFailureAt > STALL_CHECK_PERIOD_MS) {
      clearInterval(checkTimer);
      checkTimer = undefined;
      exhaustedNetworks.clear();
      return;
    }
    for (const client of [...amountsByClient.keys()]) {
      const isNeeded = exhaustedNetworks.has(ALL_NETWORKS) || exhaustedNetworks.has(client.network);
      if (client.measureStall() >= MAX_STALL_MS && isNeeded) client.disconnect();
    }
  }

  return {
    reserve,
    // An unused budget grants any amount.
    isAvailable: (client, amount) => heldTotal === 0 || isFree(client.network, amount),
    async wait(client, amount) {
      if (client.isDisconnected) throw new ClientDisconnected();
      if (reserve(client, amount)) return;
      await new Promise<void>((resolve, reject) => {
        const removeWaiter = () => {
          waiters.delete(retryReservation);
          client.signal.removeEventListener('abort', onAbort);
        };
        const onAbort = () => {
          removeWaiter();
          reject(new ClientDisconnected());
        };
        const retryReservation = () => {
          if (!reserve(client, amount)) return;
          removeWaiter();
          resolve();
        };
        waiters.add(retryReservation);
        client.signal.addEventListener('abort', onAbort, { once: true });
      });
    },
    release(client, rest = 0) {
      const excess = (amountsByClient.get(client) ?? 0) - rest;
      if (excess <= 0) return;
      changeTotals(client, -excess);
      for (const retryReservation of waiters) retryReservation();
    },
  };
}

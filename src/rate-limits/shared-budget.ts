import { ClientDisconnected, MAX_STALL_MS, type RequestClient, STALL_CHECK_MS } from '#runtime/concurrency-limiter.ts';

/**
 * A budget of any unit that clients hold parts of: limited per client network and in total. When a client gets nothing, others
 * of its network that stand still are disconnected, or those of all networks if the total is the reason.
 */
export interface SharedBudget {
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
  /** Whether the client could hold this amount in addition. */
  isAvailable(client: RequestClient, amount: number): boolean;
}

interface BudgetLimits {
  readonly each: number;
  readonly all: number;
  /** An amount beyond `all` for networks that hold little: at most a sixteenth of it. Default 0. */
  readonly kept?: number;
}

/** Shares of `kept` that one network may hold. */
const KEPT_SHARES = 16;

/** How long after a refusal clients that stand still are disconnected. */
const REFUSAL_MS = 10_000;

/** Stands for all networks. */
const EVERYBODY = '*';

export function createSharedBudget({ each, all, kept = 0 }: BudgetLimits): SharedBudget {
  const holders = new Map<RequestClient, number>();
  const networks = new Map<string, number>();
  const waiting = new Set<() => void>();
  /** The networks whose limit was the reason of a refusal. */
  const refused = new Set<string>();
  let refusedAt = 0;
  let checks: NodeJS.Timeout | undefined;
  let taken = 0;

  const heldBy = (network: string) => networks.get(network) ?? 0;

  function isFree(network: string, amount: number): boolean {
    const own = heldBy(network) + amount;
    if (own <= kept / KEPT_SHARES) return taken + amount <= all + kept;
    // An amount that never fits is granted to a network that holds nothing.
    if (amount > each) return own === amount && taken < all;
    return own <= each && taken + amount <= all;
  }

  function change(client: RequestClient, amount: number): void {
    const held = (holders.get(client) ?? 0) + amount;
    if (held > 0) holders.set(client, held);
    else holders.delete(client);
    const own = heldBy(client.network) + amount;
    if (own > 0) networks.set(client.network, own);
    else networks.delete(client.network);
    taken += amount;
  }

  function take(client: RequestClient, amount: number): boolean {
    const missing = amount - (holders.get(client) ?? 0);
    if (missing <= 0) return true;
    if (isFree(client.network, missing)) {
      change(client, missing);
      return true;
    }
    refusedAt = performance.now();
    refused.add(taken + missing > all ? EVERYBODY : client.network);
    checks ??= setInterval(checkStalls, STALL_CHECK_MS).unref();
    return false;
  }

  function checkStalls(): void {
    if (waiting.size === 0 && performance.now() - refusedAt > REFUSAL_MS) {
      clearInterval(checks);
      checks = undefined;
      refused.clear();
      return;
    }
    for (const client of [...holders.keys()]) {
      const isWanted = refused.has(EVERYBODY) || refused.has(client.network);
      if (client.measureStall() >= MAX_STALL_MS && isWanted) client.disconnect();
    }
  }

  return {
    reserve: take,
    isAvailable: (client, amount) => taken === 0 || isFree(client.network, amount),
    async wait(client, amount) {
      if (client.isDisconnected) throw new ClientDisconnected();
      if (take(client, amount)) return;
      await new Promise<void>((resolve, reject) => {
        const end = () => {
          waiting.delete(look);
          client.signal.removeEventListener('abort', leave);
        };
        const leave = () => {
          end();
          reject(new ClientDisconnected());
        };
        const look = () => {
          if (!take(client, amount)) return;
          end();
          resolve();
        };
        waiting.add(look);
        client.signal.addEventListener('abort', leave, { once: true });
      });
    },
    release(client, rest = 0) {
      const surplus = (holders.get(client) ?? 0) - rest;
      if (surplus <= 0) return;
      change(client, -surplus);
      for (const look of waiting) look();
    },
  };
}

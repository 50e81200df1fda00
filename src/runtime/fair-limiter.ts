import { createWaitQueue, QueueFull, type QueueLimit, type Waiter, type WaitQueue } from './concurrency-limiter.ts';

/** A semaphore whose slots are shared by key, such as the network of a client. */
export interface FairLimiter {
  /**
   * Runs work in a slot. Waiting keys take turns, so that a key with many waiters does not delay the first waiter of another.
   * Fails with `QueueFull` if too many wait, and with `ClientDisconnected` if the client disconnects while it waits.
   */
  run<Result>(key: string, work: () => Promise<Result>, waiter?: Waiter): Promise<Result>;
}

interface FairLimits {
  readonly slots: number;
  /** Maximum number of slots of one key. */
  readonly each: number;
  /** The queue of one key. */
  readonly queue: QueueLimit;
}

/** Maximum number of waiters of all keys, as a multiple of the queue of one. */
const QUEUES = 5;

interface Share {
  running: number;
  readonly waiting: WaitQueue<void>;
}

/** Creates a limiter that shares its slots by key; unused keys take no memory. */
export function createFairLimiter({ slots, each, queue }: FairLimits): FairLimiter {
  /** In the order of turns: the key that was served last is the last. */
  const shares = new Map<string, Share>();
  let freeSlots = slots;
  let waiters = 0;

  const serve = (key: string, share: Share) => {
    freeSlots--;
    share.running++;
    shares.delete(key);
    shares.set(key, share);
  };

  const serveNext = () => {
    for (const [key, share] of shares) {
      const next = share.running < each ? share.waiting.first() : undefined;
      if (next === undefined) continue;
      serve(key, share);
      next.go();
      return;
    }
  };

  const removeUnused = (key: string, share: Share) => {
    if (share.running + share.waiting.length === 0) shares.delete(key);
  };

  const wait = async (key: string, share: Share, waiter: Waiter | undefined) => {
    if (waiters >= QUEUES * queue.maxWaiting && !waiter?.exemptFromLimit) throw new QueueFull(queue);
    waiters++;
    try {
      await share.waiting.wait('a slot', waiter);
    } finally {
      waiters--;
      removeUnused(key, share);
    }
  };

  return {
    async run(key, work, waiter) {
      const share = shares.get(key) ?? { running: 0, waiting: createWaitQueue<void>(queue) };
      shares.set(key, share);
      if (freeSlots > 0 && share.running < each) serve(key, share);
      else await wait(key, share, waiter);
      try {
        return await work();
      } finally {
        freeSlots++;
        share.running--;
        removeUnused(key, share);
        serveNext();
      }
    },
  };
}

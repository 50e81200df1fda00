import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { DatabaseUnavailable, type TransactionOptions } from '#database/database.ts';
import { ClientDisconnected, QueueFull, type QueueLimit, type Waiter } from '#runtime/concurrency-limiter.ts';
import type { Failure } from '#runtime/failure.ts';
import type { RunUnitOfWork, UnitOfWork } from './unit-of-work.ts';

/**
 * Combines writes of concurrent requests into one transaction, whose commit costs as much for a hundred items as for
 * one.
 */
interface BatchedWriteDefinition<Item, Result> {
  /**
   * Handles all items in order and returns a result or failure for each, in the same order. It must write nothing for
   * an item that fails, because the others are committed. If it throws, the batch is retried in halves until the
   * failing item is alone.
   */
  readonly execute: (uow: UnitOfWork, items: readonly Item[]) => Promise<readonly (Result | Failure)[]>;
  readonly lockKeys?: (items: readonly Item[]) => readonly string[];
  readonly retryOnUniqueViolation?: TransactionOptions['retryOnUniqueViolation'];
  /** Weight of an item; absent: 1. */
  readonly weightOf?: (item: Item) => number;
  /** Maximum total weight of one transaction. A heavier item runs alone. */
  readonly maxWeight: number;
  /** Bound of the waiting queue; further items fail with `QueueFull`. */
  readonly queue: QueueLimit;
}

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly client: Waiter['client'];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Adds an item and resolves with its result after the commit. `waiter` is the client that waits. */
type BatchedWrite<Item, Result> = (
  services: { readonly runUnitOfWork: RunUnitOfWork },
  item: Item,
  waiter?: Waiter,
) => Promise<Result | Failure>;

/**
 * Defines a batched write, with one queue per server. Items that arrive while a transaction runs, or in the same tick
 * of the event loop, form the next batch. Rejects with `QueueFull` if too many items wait, and with `ClientDisconnected` if the
 * client disconnects before its batch begins. A stopping server finishes its requests first, and so these writes.
 */
export function defineBatchedWrite<Item, Result>(
  definition: BatchedWriteDefinition<Item, Result>,
): BatchedWrite<Item, Result> {
  type QueuedItem = WaitingItem<Item, Result | Failure>;
  const queues = new WeakMap<RunUnitOfWork, QueuedItem[]>();

  /** Runs batches until the queue is empty. Never rejects: errors go to the items. */
  async function processQueue(runUnitOfWork: RunUnitOfWork, queue: QueuedItem[]): Promise<void> {
    while (queue.length > 0) {
      // Waits for items of the same tick of the event loop.
      await new Promise(setImmediate);
      const batch = takeNextBatch(queue, definition);
      if (batch.length > 0) await executeBatch(runUnitOfWork, definition, batch);
    }
    queues.delete(runUnitOfWork);
  }

  return (services, item, { client, exemptFromLimit = false } = {}) => {
    const runUnitOfWork = services.runUnitOfWork.shared ?? services.runUnitOfWork;
    const queue = queues.get(runUnitOfWork);
    if (!exemptFromLimit && queue !== undefined && queue.length >= definition.queue.maxWaiting) {
      return Promise.reject(new QueueFull(definition.queue));
    }
    return new Promise((resolve, reject) => {
      const queuedItem = { item, client, resolve, reject };
      if (queue !== undefined) {
        queue.push(queuedItem);
        return;
      }
      const newQueue = [queuedItem];
      queues.set(runUnitOfWork, newQueue);
      processQueue(runUnitOfWork, newQueue);
    });
  };
}

/** Removes the next batch from the queue; rejects the items of disconnected clients. */
function takeNextBatch<Item, Result>(
  waitingItems: WaitingItem<Item, Result>[],
  { weightOf = () => 1, maxWeight }: Pick<BatchedWriteDefinition<Item, unknown>, 'weightOf' | 'maxWeight'>,
): WaitingItem<Item, Result>[] {
  const batch: WaitingItem<Item, Result>[] = [];
  let takenCount = 0;
  let weight = 0;
  for (const waitingItem of waitingItems) {
    if (waitingItem.client?.isDisconnected) {
      waitingItem.reject(new ClientDisconnected());
    } else {
      weight += weightOf(waitingItem.item);
      if (batch.length > 0 && weight > maxWeight) break;
      batch.push(waitingItem);
    }
    takenCount++;
  }
  waitingItems.splice(0, takenCount);
  return batch;
}

async function executeBatch<Item, Result>(
  runUnitOfWork: RunUnitOfWork,
  definition: BatchedWriteDefinition<Item, Result>,
  batch: readonly WaitingItem<Item, Result | Failure>[],
): Promise<void> {
  const items = batch.map(({ item }) => item);
  const { lockKeys, retryOnUniqueViolation } = definition;
  try {
    // The items have waited in this queue already.
    const options: TransactionOptions = { lock: lockKeys?.(items), retryOnUniqueViolation, exemptFromLimit: true };
    const results = await runUnitOfWork<Caller, readonly (Result | Failure)[]>(
      ANONYMOUS,
      (uow) => definition.execute(uow, items),
      options,
    );
    if (results.length !== batch.length) throw new Error(`${results.length} results for ${batch.length} items`);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result | Failure);
  } catch (error) {
    // An unavailable database is not caused by one item: do not retry in halves.
    if (batch.length === 1 || error instanceof DatabaseUnavailable) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await executeBatch(runUnitOfWork, definition, batch.slice(0, middle));
    await executeBatch(runUnitOfWork, definition, batch.slice(middle));
  }
}

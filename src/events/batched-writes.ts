import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { DatabaseUnavailable, type TransactionOptions } from '#database/database.ts';
import { type Line, QueueFull, type Waiter, WaiterGone } from '#runtime/concurrency-limiter.ts';
import type { Failure } from '#runtime/failure.ts';
import type { RunUnitOfWork, UnitOfWork } from './unit-of-work.ts';

/**
 * What many bring at the same time, done by one verb in one transaction: its commit is what each of them waits for, and
 * costs as much for a hundred as for one.
 */
export interface Gathering<Item, Result> {
  /**
   * Does what all of them ask for, in their order, and gives each his own result or refusal, in the same order. It has
   * written nothing for whom it refuses: the others' commit is his too. Should it throw, those it did it for are tried in
   * smaller and smaller pieces, until whoever is to blame is alone. The turn, and unique indexes to look again for, are
   * those of `TransactionOptions`.
   */
  readonly verb: (uow: UnitOfWork, items: readonly Item[]) => Promise<readonly (Result | Failure)[]>;
  readonly turn?: (items: readonly Item[]) => readonly string[];
  readonly againWhenTaken?: TransactionOptions['againWhenTaken'];
  /** How much an item is, where they are not alike; absent: one. */
  readonly weigh?: (item: Item) => number;
  /** How much one transaction does at most; what is more than that alone, is done alone. */
  readonly most: number;
  /** So many items may wait, and who brings one more is answered 503. */
  readonly line: Line;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly client: Waiter['client'];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Brings an item, for whom `waiter` says; what comes of it is there, and durable, when it resolves. */
export type Gathered<Item, Result> = (
  services: { readonly runUnitOfWork: RunUnitOfWork },
  item: Item,
  waiter?: Waiter,
) => Promise<Result | Failure>;

/**
 * A road on which requests are gathered, one for each server and gathering: what comes while a transaction runs, or in the
 * same turn of the event loop, is the next one's. Fails with `QueueFull` when too many wait, and with `WaiterGone` when the
 * client goes before it is begun. A server that stops answers its requests first, and so waits for what they wait for.
 */
export function gathered<Item, Result>(gathering: Gathering<Item, Result>): Gathered<Item, Result> {
  type Entry = Waiting<Item, Result | Failure>;
  const lines = new WeakMap<RunUnitOfWork, Entry[]>();

  async function run(runUnitOfWork: RunUnitOfWork, waiting: Entry[]): Promise<void> {
    while (waiting.length > 0) {
      // Those that come in the same turn of the event loop.
      await new Promise(setImmediate);
      const batch = nextOf(waiting, gathering);
      if (batch.length > 0) await doTogether(runUnitOfWork, gathering, batch);
    }
    lines.delete(runUnitOfWork);
  }

  return ({ runUnitOfWork }, item, { client, owed = false } = {}) => {
    const known = lines.get(runUnitOfWork);
    if (!owed && known !== undefined && known.length >= gathering.line.waiting) {
      return Promise.reject(new QueueFull(gathering.line));
    }
    return new Promise((resolve, reject) => {
      const entry = { item, client, resolve, reject };
      if (known !== undefined) {
        known.push(entry);
        return;
      }
      const waiting = [entry];
      lines.set(runUnitOfWork, waiting);
      run(runUnitOfWork, waiting);
    });
  };
}

/** Takes the first ones out of the line, as many as one transaction does; whoever has gone is told so. */
function nextOf<Item, Result>(
  waiting: Waiting<Item, Result>[],
  { weigh = () => 1, most }: Pick<Gathering<Item, unknown>, 'weigh' | 'most'>,
): Waiting<Item, Result>[] {
  const batch: Waiting<Item, Result>[] = [];
  let taken = 0;
  let weight = 0;
  for (const each of waiting) {
    if (each.client?.gone) {
      each.reject(new WaiterGone());
    } else {
      weight += weigh(each.item);
      if (batch.length > 0 && weight > most) break;
      batch.push(each);
    }
    taken++;
  }
  waiting.splice(0, taken);
  return batch;
}

async function doTogether<Item, Result>(
  runUnitOfWork: RunUnitOfWork,
  gathering: Gathering<Item, Result>,
  batch: readonly Waiting<Item, Result | Failure>[],
): Promise<void> {
  const items = batch.map(({ item }) => item);
  const { turn, againWhenTaken } = gathering;
  try {
    // They have waited in a line of their own.
    const options = { turn: turn?.(items), againWhenTaken, owed: true };
    const results = await runUnitOfWork<Caller, readonly (Result | Failure)[]>(
      ANONYMOUS,
      (uow) => gathering.verb(uow, items),
      options,
    );
    if (results.length !== batch.length) throw new Error(`${results.length} results for ${batch.length} items`);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result | Failure);
  } catch (error) {
    // A database that is away is nobody's fault, and would be asked for each of them.
    if (batch.length === 1 || error instanceof DatabaseUnavailable) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await doTogether(runUnitOfWork, gathering, batch.slice(0, half));
    await doTogether(runUnitOfWork, gathering, batch.slice(half));
  }
}

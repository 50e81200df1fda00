import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type KindName, kindOf } from './repository-kinds.ts';
import { schedule } from './schedule.ts';
import { movesIn } from './store.ts';

/** The move of everything of a kind that is in a storage (contract/operations.md §2, "Bulk POST"). */

interface Wish {
  readonly source_storage_name: string;
  readonly destination_storage_name?: string | null | undefined;
}

/** Has the queue schedule the moves, one for each that is there by then. Throws what is wrong with the names. */
export async function scheduleAll(
  { config, database }: Pick<Services, 'config' | 'database'>,
  kind: KindName,
  wish: Wish,
): Promise<void> {
  const { source_storage_name: source, destination_storage_name: destination = null } = wish;
  const names = ['source_storage_name', 'destination_storage_name'] as const;
  const wrong = names.filter((name) => wish[name] != null && !Object.hasOwn(config.storages, wish[name]));
  if (wrong.length > 0) throw invalidParameters(wrong.map((name) => `${name} does not have a valid value`));
  await database.transaction((tx) => enqueue(tx, moveAll, { kind, source, destination, after: 0 }));
}

interface Bulk {
  readonly kind: KindName;
  readonly source: string;
  readonly destination: string | null;
  /** The last id that has been looked at. */
  readonly after: number;
}

/** So many wait for their turn at most: what waits is read-only. */
const MOST_WAITING = 5;
const REST_MS = 1_000;

/**
 * Schedules the move of everything of a kind that is in a storage, a few at a time. What is read-only, or has left meanwhile, is
 * skipped: of two of these each container gets one move.
 */
export const moveAll = defineJob({
  kind: 'schedule_storage_moves',
  maxAttempts: 100,
  isLongRunning: true,
  async handle(services: Pick<Services, 'runUnitOfWork' | 'config' | 'database'>, bulk: Bulk) {
    const { kind: name, source, destination, after } = bulk;
    const db = services.database.reader;
    const kind = kindOf(name);
    const waiting = (await movesIn(db, 'scheduled', MOST_WAITING)).length;
    const ids = await kind.among(db, source, after, MOST_WAITING - waiting);
    const wish = { destination, source, storages: Object.keys(services.config.storages) };
    // Another bulk job may be about to schedule the same one: it is read-only then.
    const again = { retryOnUniqueViolation: [`storage_moves_under_way_by_${kind.column}`] };
    for (const id of ids) await services.runUnitOfWork(ANONYMOUS, (uow) => schedule(uow, kind, id, wish), again);
    const next = { ...bulk, after: ids.at(-1) ?? after };
    if (waiting === MOST_WAITING || ids.length === MOST_WAITING - waiting) {
      await services.database.transaction((tx) => goOn(tx, next));
    }
  },
});

function goOn(tx: Transaction, next: Bulk): Promise<void> {
  return enqueue(tx, moveAll, next, { runAt: addMilliseconds(tx.now, REST_MS) });
}

import type { Transaction } from '#database/database.ts';
import type { BulkImportState } from '#database/tables/bulk-imports.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import {
  countEntities,
  type ImportRow,
  importsUnderWay,
  readImport,
  runningEntities,
  setEntity,
  setImport,
  waitingEntities,
} from './store.ts';

/** How imports and their entities begin and end (contract/operations.md "States"). What begins is begun in the turn of its user. */

/** So many entities are copied at the same time for one user, in all of his imports: each of his sources may take its time. */
const AT_ONCE = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

export const importLockKey = ({ user_id }: Pick<ImportRow, 'user_id'>) => `bulk imports of user ${user_id}`;

/** Adds the work that follows, in the transaction that needs it. */
export interface Work {
  /** Goes on with an entity, not before `runAt`. */
  readonly entity: (tx: Transaction, entityId: number, runAt?: string) => Promise<void>;
  /** Looks what of the import comes next. */
  readonly next: (tx: Transaction, importId: number) => Promise<void>;
}

/** Begins the next entities, or ends the import when none is left: then its state. */
export async function advance(tx: Transaction, work: Work, importId: number): Promise<BulkImportState | null> {
  const row = await readImport(tx, importId);
  if (row === undefined || (row.status !== 'created' && row.status !== 'started')) return null;
  const counts = await countEntities(tx, importId);
  const running = counts.get('started') ?? 0;
  const free = Math.max(0, AT_ONCE - (await runningEntities(tx, row.user_id)));
  for (const entityId of await waitingEntities(tx, importId, free)) {
    await setEntity(tx, entityId, { status: 'started' });
    await work.entity(tx, entityId);
  }
  if (running > 0 || (counts.get('created') ?? 0) > 0) {
    await setImport(tx, importId, { status: 'started' });
    return null;
  }
  const status = counts.has('finished') ? 'finished' : 'failed';
  await setImport(tx, importId, { status, ended_at: tx.now });
  return status;
}

/** Ends it wherever it is: what is being stored now is the last. What is there stays; other imports of its user have room. */
export async function cancel(tx: Transaction, work: Work, row: Pick<ImportRow, 'id' | 'user_id'>): Promise<void> {
  await endWhole(tx, row.id, 'canceled', null);
  await nextOf(tx, work, row.user_id);
}

/** Looks what comes next in the imports of a user. */
export async function nextOf(tx: Transaction, work: Work, userId: number): Promise<void> {
  for (const id of await importsUnderWay(tx, userId)) await work.next(tx, id);
}

/** `from`: the states of entities that end; null: all. */
async function endWhole(
  tx: Transaction,
  importId: number,
  status: 'canceled' | 'timeout',
  from: readonly BulkImportState[] | null,
): Promise<void> {
  await setImport(tx, importId, { status, ended_at: tx.now });
  await tx
    .updateTable('bulk_import_entities')
    .set({ status, updated_at: tx.now })
    .where('bulk_import_id', '=', importId)
    .$if(from !== null, (query) => query.where('status', 'in', from!))
    .execute();
  // What has begun says so itself when it has stopped.
  const entities = tx.selectFrom('bulk_import_entities').select('id').where('bulk_import_id', '=', importId);
  await tx
    .updateTable('bulk_import_trackers')
    .set({ status })
    .where('entity_id', 'in', entities)
    .where('status', 'in', ['created', 'enqueued'])
    .execute();
}

/**
 * Gives up what has stood still for a day, and forgets the secrets of what has ended a day ago. Says what was given up.
 * index: bulk_imports_under_way, bulk_import_configurations primary key
 */
export async function sweep(tx: Transaction, work: Work): Promise<readonly number[]> {
  const before = addMilliseconds(tx.now, -DAY_MS);
  const stuck = await tx
    .selectFrom('bulk_imports')
    .select(['id', 'user_id'])
    .where('status', 'in', ['created', 'started'])
    .where('updated_at', '<=', before)
    .execute();
  for (const { id } of stuck) await endWhole(tx, id, 'timeout', ['created', 'started']);
  for (const userId of new Set(stuck.map(({ user_id }) => user_id))) await nextOf(tx, work, userId);
  const ended = tx.selectFrom('bulk_imports').select('id').where('ended_at', '<=', before);
  await tx.deleteFrom('bulk_import_configurations').where('bulk_import_id', 'in', ended).execute();
  return stuck.map(({ id }) => id);
}

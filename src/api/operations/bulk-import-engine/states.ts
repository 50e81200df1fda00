import type { Transaction } from '#database/database.ts';
import type { BulkImportState } from '#database/schema.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import {
  countEntitiesByState,
  countRunningEntities,
  findImportById,
  type ImportRow,
  listActiveImportIds,
  listWaitingEntityIds,
  updateEntity,
  updateImport,
} from './store.ts';

// State changes of imports and entities (contract/operations.md "States"). An entity starts under the lock of its user.

/** Maximum number of entities that are copied at the same time for one user, because a source may be slow. */
const MAX_RUNNING_ENTITIES = 5;

/** Milliseconds until an import without progress times out, and until the credentials of an ended import are deleted. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** Key of the lock under which entities of a user start. */
export const importLockKey = ({ user_id }: Pick<ImportRow, 'user_id'>) => `bulk imports of user ${user_id}`;

/** Enqueues follow-up jobs in the same transaction. */
export interface ImportJobs {
  /** Enqueues the next run of an entity, not before `runAt`. */
  readonly enqueueEntity: (tx: Transaction, entityId: number, runAt?: string) => Promise<void>;
  /** Enqueues the job that starts the next entities of an import. */
  readonly enqueueAdvance: (tx: Transaction, importId: number) => Promise<void>;
}

/** Starts the next entities. If none is left, ends the import and returns its final state, otherwise null. */
export async function startNextEntities(
  tx: Transaction,
  jobs: ImportJobs,
  importId: number,
): Promise<BulkImportState | null> {
  const row = await findImportById(tx, importId);
  if (row === undefined || (row.status !== 'created' && row.status !== 'started')) return null;
  // Counted before the starts: an entity that starts now still counts as `created`.
  const countsByState = await countEntitiesByState(tx, importId);
  const runningCount = countsByState.get('started') ?? 0;
  const freeSlots = Math.max(0, MAX_RUNNING_ENTITIES - (await countRunningEntities(tx, row.user_id)));
  for (const entityId of await listWaitingEntityIds(tx, importId, freeSlots)) {
    await updateEntity(tx, entityId, { status: 'started' });
    await jobs.enqueueEntity(tx, entityId);
  }
  if (runningCount > 0 || (countsByState.get('created') ?? 0) > 0) {
    await updateImport(tx, importId, { status: 'started' });
    return null;
  }
  const status = countsByState.has('finished') ? 'finished' : 'failed';
  await updateImport(tx, importId, { status, ended_at: tx.now });
  return status;
}

/** Cancels an import in any state. A running step finishes and imported data stays; other imports of the user get the free slots. */
export async function cancelUnfinishedImport(
  tx: Transaction,
  jobs: ImportJobs,
  row: Pick<ImportRow, 'id' | 'user_id'>,
): Promise<void> {
  await endImport(tx, row.id, 'canceled', null);
  await enqueueAdvanceOfUser(tx, jobs, row.user_id);
}

/** Enqueues the start of the next entities of all active imports of a user. */
export async function enqueueAdvanceOfUser(tx: Transaction, jobs: ImportJobs, userId: number): Promise<void> {
  for (const id of await listActiveImportIds(tx, userId)) await jobs.enqueueAdvance(tx, id);
}

/** Ends an import. `entityStates`: only entities in these states get the same status; null: all entities. */
async function endImport(
  tx: Transaction,
  importId: number,
  status: 'canceled' | 'timeout',
  entityStates: readonly BulkImportState[] | null,
): Promise<void> {
  await updateImport(tx, importId, { status, ended_at: tx.now });
  await tx
    .updateTable('bulk_import_entities')
    .set({ status, updated_at: tx.now })
    .where('bulk_import_id', '=', importId)
    .$if(entityStates !== null, (query) => query.where('status', 'in', entityStates!))
    .execute();
  // Running trackers set their own status when they stop.
  const entities = tx.selectFrom('bulk_import_entities').select('id').where('bulk_import_id', '=', importId);
  await tx
    .updateTable('bulk_import_trackers')
    .set({ status })
    .where('entity_id', 'in', entities)
    .where('status', 'in', ['created', 'enqueued'])
    .execute();
}

/**
 * Ends imports without progress for a day, and deletes the credentials of imports that ended at least a day ago. Returns the ids
 * of the imports that timed out.
 * index: bulk_imports_under_way, bulk_import_configurations primary key
 */
export async function cleanUpImports(tx: Transaction, jobs: ImportJobs): Promise<readonly number[]> {
  const cutoff = addMilliseconds(tx.now, -DAY_MS);
  const stalledImports = await tx
    .selectFrom('bulk_imports')
    .select(['id', 'user_id'])
    .where('status', 'in', ['created', 'started'])
    .where('updated_at', '<=', cutoff)
    .execute();
  for (const { id } of stalledImports) await endImport(tx, id, 'timeout', ['created', 'started']);
  for (const userId of new Set(stalledImports.map(({ user_id }) => user_id)))
    await enqueueAdvanceOfUser(tx, jobs, userId);
  const endedImports = tx.selectFrom('bulk_imports').select('id').where('ended_at', '<=', cutoff);
  await tx.deleteFrom('bulk_import_configurations').where('bulk_import_id', 'in', endedImports).execute();
  return stalledImports.map(({ id }) => id);
}

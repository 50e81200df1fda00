import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { BulkImportState } from '#database/schema.ts';

// Queries for the state and progress of imports.

export type ImportRow = Columns<'bulk_imports', 'id' | 'user_id' | 'status'>;

/** Returns the import with this id, or undefined. index: bulk_imports primary key */
export async function findImportById(db: Reader, id: number): Promise<ImportRow | undefined> {
  return db.selectFrom('bulk_imports').select(['id', 'user_id', 'status']).where('id', '=', id).executeTakeFirst();
}

/** A group or project that an import copies, with its destination and its progress. */
export type EntityRow = Omit<Columns<'bulk_import_entities'>, 'has_failures' | 'created_at' | 'updated_at'>;

const entityColumns = [
  'id',
  'bulk_import_id',
  'user_id',
  'parent_id',
  'source_type',
  'source_full_path',
  'source_id',
  'destination_namespace',
  'destination_slug',
  'namespace_id',
  'project_id',
  'migrate_projects',
  'migrate_memberships',
  'status',
] as const;

/** Returns the entity with this id, or undefined. index: bulk_import_entities primary key */
export async function findEntityById(db: Reader, id: number): Promise<EntityRow | undefined> {
  return db.selectFrom('bulk_import_entities').select(entityColumns).where('id', '=', id).executeTakeFirst();
}

/** Lists the active imports of a user, oldest first. index: bulk_imports_by_user_status */
export async function listActiveImportIds(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('bulk_imports')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['created', 'started'])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Counts the entities of a user that are being copied. index: bulk_import_entities_by_user_status */
export async function countRunningEntities(db: Reader, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('bulk_import_entities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'started')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts the entities of an import by state. index: bulk_import_entities_in_order */
export async function countEntitiesByState(
  db: Reader,
  importId: number,
): Promise<ReadonlyMap<BulkImportState, number>> {
  const rows = await db
    .selectFrom('bulk_import_entities')
    .select('status')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('bulk_import_id', '=', importId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Lists the first `limit` entities that have not started, by id. index: bulk_import_entities_in_order */
export async function listWaitingEntityIds(db: Reader, importId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', importId)
    .where('status', '=', 'created')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Updates an import and its `updated_at`, from which the timeout counts. */
export async function updateImport(
  tx: Transaction,
  id: number,
  patch: { readonly status?: BulkImportState; readonly ended_at?: string },
): Promise<void> {
  await tx
    .updateTable('bulk_imports')
    .set({ ...patch, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

type EntityPatch = Partial<
  Pick<EntityRow, 'status' | 'source_id' | 'namespace_id' | 'project_id' | 'destination_namespace'>
>;

/** Updates an entity and its `updated_at`. */
export async function updateEntity(tx: Transaction, id: number, patch: EntityPatch): Promise<void> {
  await tx
    .updateTable('bulk_import_entities')
    .set({ ...patch, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** The progress of one relation of an entity, such as its labels or its repository. */
export interface TrackerRow
  extends Columns<
    'bulk_import_trackers',
    'id' | 'relation' | 'status' | 'next_page' | 'source_count' | 'fetched_count' | 'imported_count' | 'retries'
  > {
  /** The call that is being retried: its path, or `git`. */
  readonly retried_call: string | null;
}

const trackerColumns = [
  'id',
  'relation',
  'status',
  'next_page',
  'source_count',
  'fetched_count',
  'imported_count',
  'retried_call',
  'retries',
] as const;

/** Returns the trackers of an entity, in the order of its relations; creates missing ones. index: bulk_import_trackers_by_relation */
export async function findOrCreateTrackers(
  tx: Transaction,
  entityId: number,
  relations: readonly string[],
): Promise<TrackerRow[]> {
  await tx
    .insertInto('bulk_import_trackers')
    .values(relations.map((relation, stage) => ({ entity_id: entityId, relation, stage, status: 'created' as const })))
    .onConflict((conflict) => conflict.columns(['entity_id', 'relation']).doNothing())
    .execute();
  return tx
    .selectFrom('bulk_import_trackers')
    .select(trackerColumns)
    .where('entity_id', '=', entityId)
    .orderBy('stage')
    .execute();
}

/** Updates the progress of a relation. */
export async function updateTracker(
  tx: Transaction,
  id: number,
  patch: Partial<Omit<TrackerRow, 'id' | 'relation'>>,
): Promise<void> {
  await tx.updateTable('bulk_import_trackers').set(patch).where('id', '=', id).execute();
}

/** Increments the count of stored elements. */
export async function incrementImportedCount(tx: Transaction, trackerId: number): Promise<void> {
  await tx
    .updateTable('bulk_import_trackers')
    .set((eb) => ({ imported_count: eb('imported_count', '+', 1) }))
    .where('id', '=', trackerId)
    .execute();
}

/** Returns the local ids of the elements that are already stored, by source key. index: bulk_import_objects_pkey */
export async function findStoredObjects(
  db: Reader,
  { importId, entityId }: { readonly importId: number; readonly entityId: number },
  kind: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('bulk_import_objects')
    .select(['source_key', 'local_id'])
    .where('bulk_import_id', '=', importId)
    .where('kind', '=', kind)
    .where('source_key', 'in', keys)
    .where('entity_id', '=', entityId)
    .execute();
  return new Map(rows.map(({ source_key, local_id }) => [source_key, local_id]));
}

/** Inserts the mapping of a source key to a local id. Throws the unique violation of `bulk_import_objects_pkey` if it exists. */
export async function insertStoredObject(
  tx: Transaction,
  { importId, entityId }: { readonly importId: number; readonly entityId: number },
  kind: string,
  key: string,
  localId: number,
): Promise<void> {
  await tx
    .insertInto('bulk_import_objects')
    .values({ bulk_import_id: importId, entity_id: entityId, kind, source_key: key, local_id: localId })
    .execute();
}

/** Returns the local user ids of already mapped source users, by source id; null: no local user. index: bulk_import_users_pkey */
export async function findMappedUsers(
  db: Reader,
  importId: number,
  sourceIds: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (sourceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('bulk_import_users')
    .select(['source_user_id', 'user_id'])
    .where('bulk_import_id', '=', importId)
    .where((eb) => isInIds(db, eb.ref('source_user_id'), sourceIds))
    .execute();
  return new Map(rows.map(({ source_user_id, user_id }) => [source_user_id, user_id]));
}

/** Stores the local user of a source user, unless another run has stored it. Null: no local user. */
export async function insertMappedUser(
  tx: Transaction,
  importId: number,
  sourceId: number,
  userId: number | null,
): Promise<void> {
  await tx
    .insertInto('bulk_import_users')
    .values({ bulk_import_id: importId, source_user_id: sourceId, user_id: userId })
    .onConflict((conflict) => conflict.columns(['bulk_import_id', 'source_user_id']).doNothing())
    .execute();
}

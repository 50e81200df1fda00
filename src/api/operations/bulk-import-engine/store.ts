import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { BulkImportState, EntityType, TrackerState } from '#database/tables/bulk-imports.ts';

/** The rows that say how far an import has come. */

export interface ImportRow {
  readonly id: number;
  readonly user_id: number;
  readonly status: BulkImportState;
}

/** index: bulk_imports primary key */
export async function readImport(db: Reader, id: number): Promise<ImportRow | undefined> {
  return db.selectFrom('bulk_imports').select(['id', 'user_id', 'status']).where('id', '=', id).executeTakeFirst();
}

export interface EntityRow {
  readonly id: number;
  readonly bulk_import_id: number;
  readonly user_id: number;
  readonly parent_id: number | null;
  readonly source_type: EntityType;
  readonly source_full_path: string;
  readonly source_id: number | null;
  readonly destination_namespace: string;
  readonly destination_slug: string;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
  readonly migrate_projects: boolean;
  readonly migrate_memberships: boolean;
  readonly status: BulkImportState;
}

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

/** index: bulk_import_entities primary key */
export async function readEntity(db: Reader, id: number): Promise<EntityRow | undefined> {
  return db.selectFrom('bulk_import_entities').select(entityColumns).where('id', '=', id).executeTakeFirst();
}

/** A user's imports that have not ended, the oldest first. index: bulk_imports_by_user_status */
export async function importsUnderWay(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('bulk_imports')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['created', 'started'])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** How many entities of a user's imports are being copied. index: bulk_import_entities_by_user_status */
export async function runningEntities(db: Reader, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('bulk_import_entities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'started')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many of an import's entities are in which state. index: bulk_import_entities_in_order */
export async function countEntities(db: Reader, importId: number): Promise<ReadonlyMap<BulkImportState, number>> {
  const rows = await db
    .selectFrom('bulk_import_entities')
    .select('status')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('bulk_import_id', '=', importId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** The next entities that wait, in their order. index: bulk_import_entities_in_order */
export async function waitingEntities(db: Reader, importId: number, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', importId)
    .where('status', '=', 'created')
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

export async function setImport(
  tx: Transaction,
  id: number,
  change: { readonly status?: BulkImportState; readonly ended_at?: string },
): Promise<void> {
  await tx
    .updateTable('bulk_imports')
    .set({ ...change, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

type EntityChange = Partial<
  Pick<EntityRow, 'status' | 'source_id' | 'namespace_id' | 'project_id' | 'destination_namespace'>
>;

export async function setEntity(tx: Transaction, id: number, change: EntityChange): Promise<void> {
  await tx
    .updateTable('bulk_import_entities')
    .set({ ...change, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

export interface TrackerRow {
  readonly id: number;
  readonly relation: string;
  readonly status: TrackerState;
  readonly next_page: number | null;
  readonly source_count: number;
  readonly fetched_count: number;
  readonly imported_count: number;
  readonly retried_call: string | null;
  readonly retries: number;
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

/** The relations of an entity in their order; made when they are asked for first. index: bulk_import_trackers_by_relation */
export async function trackersOf(
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

export async function setTracker(
  tx: Transaction,
  id: number,
  change: Partial<Omit<TrackerRow, 'id' | 'relation'>>,
): Promise<void> {
  await tx.updateTable('bulk_import_trackers').set(change).where('id', '=', id).execute();
}

/** One element more is here. */
export async function countImported(tx: Transaction, trackerId: number): Promise<void> {
  await tx
    .updateTable('bulk_import_trackers')
    .set((eb) => ({ imported_count: eb('imported_count', '+', 1) }))
    .where('id', '=', trackerId)
    .execute();
}

/** Which of these elements are here already, with what they have become. index: bulk_import_objects_pkey */
export async function storedObjects(
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

/** Throws what `bulk_import_objects_pkey` says of one that is here already. */
export async function keepObject(
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

/** Which of these users of the source are known, and who they are here. index: bulk_import_users_pkey */
export async function knownUsers(
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

export async function keepUser(
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

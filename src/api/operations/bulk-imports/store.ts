import { sql } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { BulkImportState } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

// Queries of the API for imports, their entities and failures.

export type BulkImportRow = Columns<
  'bulk_imports',
  'id' | 'user_id' | 'status' | 'source_url' | 'has_failures' | 'created_at' | 'updated_at'
>;

export interface BulkImportEntityRow extends Omit<Columns<'bulk_import_entities'>, 'user_id' | 'source_id'> {
  /** Current full path of the imported group or project; null before it exists. */
  readonly destination_full_path: string | null;
}

export type BulkImportFailureRow = Columns<'bulk_import_failures'>;

/** Filter and order of lists. */
interface BulkImportFilter {
  readonly sort: 'asc' | 'desc';
  readonly status?: BulkImportState | null | undefined;
}

export const importColumns = [
  'id',
  'user_id',
  'status',
  'source_url',
  'has_failures',
  'created_at',
  'updated_at',
] as const;

/** Returns the import with this id, or null. index: bulk_imports primary key */
export async function findImport(db: Reader, id: number): Promise<BulkImportRow | null> {
  const query = db.selectFrom('bulk_imports').select(importColumns).where('id', '=', id);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns one page of the imports of a user. index: bulk_imports_by_user, bulk_imports_by_user_status */
export function listImports(
  db: Reader,
  userId: number,
  { sort, status }: BulkImportFilter,
  page: OffsetRequest,
): Promise<Page<BulkImportRow>> {
  const imports = db
    .selectFrom('bulk_imports')
    .select(importColumns)
    .where('user_id', '=', userId)
    .$if(status != null, (query) => query.where('status', '=', status!));
  return paginate(db, imports.orderBy('created_at', sort).orderBy('id', sort), page);
}

/** Selects entities with the current paths of their destinations. index: routes_by_namespace, routes_by_project */
function selectEntities(db: Reader) {
  return db
    .selectFrom('bulk_import_entities')
    .select([
      'bulk_import_entities.id',
      'bulk_import_entities.bulk_import_id',
      'bulk_import_entities.parent_id',
      'bulk_import_entities.source_type',
      'bulk_import_entities.source_full_path',
      'bulk_import_entities.destination_namespace',
      'bulk_import_entities.destination_slug',
      'bulk_import_entities.namespace_id',
      'bulk_import_entities.project_id',
      'bulk_import_entities.migrate_projects',
      'bulk_import_entities.migrate_memberships',
      'bulk_import_entities.status',
      'bulk_import_entities.has_failures',
      'bulk_import_entities.created_at',
      'bulk_import_entities.updated_at',
    ])
    .select((eb) =>
      eb.fn
        .coalesce(
          eb
            .selectFrom('routes as group_routes')
            .select('group_routes.full_path')
            .whereRef('group_routes.namespace_id', '=', 'bulk_import_entities.namespace_id'),
          eb
            .selectFrom('routes as project_routes')
            .select('project_routes.full_path')
            .whereRef('project_routes.project_id', '=', 'bulk_import_entities.project_id'),
        )
        .as('destination_full_path'),
    );
}

/** Returns the entity of this import, or null. index: bulk_import_entities primary key */
export async function findEntity(db: Reader, importId: number, id: number): Promise<BulkImportEntityRow | null> {
  const query = selectEntities(db)
    .where('bulk_import_entities.id', '=', id)
    .where('bulk_import_entities.bulk_import_id', '=', importId);
  return (await query.executeTakeFirst()) ?? null;
}

/**
 * Returns one page of the entities of an import or of a user. index: bulk_import_entities_by_user, bulk_import_entities_by_user_status,
 * bulk_import_entities_by_import, bulk_import_entities_by_import_status
 */
export function listEntities(
  db: Reader,
  parent: { readonly userId: number } | { readonly importId: number },
  { sort, status }: BulkImportFilter,
  page: OffsetRequest,
): Promise<Page<BulkImportEntityRow>> {
  const entities = (
    'userId' in parent
      ? selectEntities(db).where('bulk_import_entities.user_id', '=', parent.userId)
      : selectEntities(db).where('bulk_import_entities.bulk_import_id', '=', parent.importId)
  ).$if(status != null, (query) => query.where('bulk_import_entities.status', '=', status!));
  const orderedEntities = entities
    .orderBy('bulk_import_entities.created_at', sort)
    .orderBy('bulk_import_entities.id', sort);
  return paginate(db, orderedEntities, page);
}

/** Returns one page of the failures of an entity, oldest first. index: bulk_import_failures_by_entity */
export function listFailures(db: Reader, entityId: number, page: OffsetRequest): Promise<Page<BulkImportFailureRow>> {
  const failures = db.selectFrom('bulk_import_failures').selectAll().where('entity_id', '=', entityId);
  return paginate(db, failures.orderBy('id'), page);
}

/** Maximum number of failures embedded in an entity. The list of failures returns all of them. */
const MAX_EMBEDDED_FAILURES = 20;

/** Returns the first MAX_EMBEDDED_FAILURES failures of each of these entities. index: bulk_import_failures_by_entity */
export async function loadFirstFailures(db: Reader, entityIds: readonly number[]): Promise<BulkImportFailureRow[]> {
  return db
    .selectFrom('bulk_import_entities')
    .innerJoin('bulk_import_failures', (join) =>
      join
        .onRef('bulk_import_failures.entity_id', '=', 'bulk_import_entities.id')
        .on((eb) =>
          eb(
            'bulk_import_failures.id',
            'in',
            eb
              .selectFrom('bulk_import_failures as first_failures')
              .select('first_failures.id')
              .whereRef('first_failures.entity_id', '=', 'bulk_import_entities.id')
              .orderBy('first_failures.id')
              .limit(MAX_EMBEDDED_FAILURES),
          ),
        ),
    )
    .selectAll('bulk_import_failures')
    .where('bulk_import_entities.id', 'in', entityIds)
    .orderBy('bulk_import_failures.id')
    .execute();
}

export type RelationStatsRow = Columns<
  'bulk_import_trackers',
  'entity_id' | 'relation' | 'source_count' | 'fetched_count' | 'imported_count'
>;

/**
 * Returns the counts of each relation of these entities, except relations whose counts are all 0.
 * index: bulk_import_trackers_by_relation
 */
export async function loadRelationStats(db: Reader, entityIds: readonly number[]): Promise<RelationStatsRow[]> {
  return db
    .selectFrom('bulk_import_trackers')
    .select(['entity_id', 'relation', 'source_count', 'fetched_count', 'imported_count'])
    .where('entity_id', 'in', entityIds)
    .where(sql<number>`source_count + fetched_count + imported_count`, '>', 0)
    .orderBy('entity_id')
    .orderBy('stage')
    .execute();
}

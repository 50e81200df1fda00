import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { BulkImportState, EntityType } from '#database/tables/bulk-imports.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Imports, their entities and failures for the API. */

export interface BulkImportRow {
  readonly id: number;
  readonly user_id: number;
  readonly status: BulkImportState;
  readonly source_url: string;
  readonly has_failures: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface BulkImportEntityRow {
  readonly id: number;
  readonly bulk_import_id: number;
  readonly parent_id: number | null;
  readonly source_type: EntityType;
  readonly source_full_path: string;
  readonly destination_namespace: string;
  readonly destination_slug: string;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
  readonly migrate_projects: boolean;
  readonly migrate_memberships: boolean;
  readonly status: BulkImportState;
  readonly has_failures: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** Current full path of the imported group or project; null before it exists. */
  readonly destination_full_path: string | null;
}

export interface BulkImportFailureRow {
  readonly id: number;
  readonly entity_id: number;
  readonly relation: string;
  readonly step: string;
  readonly exception_class: string;
  readonly exception_message: string;
  readonly correlation_id: string;
  readonly source_url: string | null;
  readonly source_title: string | null;
  readonly created_at: string;
}

/** Filter and order of lists. */
export interface BulkImportFilter {
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

/** index: bulk_imports primary key */
export async function findImport(db: Reader, id: number): Promise<BulkImportRow | null> {
  const found = db.selectFrom('bulk_imports').select(importColumns).where('id', '=', id);
  return (await found.executeTakeFirst()) ?? null;
}

/** Returns one page of the imports of a user. index: bulk_imports_by_user, bulk_imports_by_user_status */
export function listImports(
  db: Reader,
  userId: number,
  { sort, status }: BulkImportFilter,
  page: OffsetRequest,
): Promise<Page<BulkImportRow>> {
  const found = db
    .selectFrom('bulk_imports')
    .select(importColumns)
    .where('user_id', '=', userId)
    .$if(status != null, (query) => query.where('status', '=', status!));
  return paginate(db, found.orderBy('created_at', sort).orderBy('id', sort), page);
}

/** index: routes_by_namespace, routes_by_project */
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
            .selectFrom('routes as of_group')
            .select('of_group.full_path')
            .whereRef('of_group.namespace_id', '=', 'bulk_import_entities.namespace_id'),
          eb
            .selectFrom('routes as of_project')
            .select('of_project.full_path')
            .whereRef('of_project.project_id', '=', 'bulk_import_entities.project_id'),
        )
        .as('destination_full_path'),
    );
}

/** index: bulk_import_entities primary key */
export async function findEntity(db: Reader, importId: number, id: number): Promise<BulkImportEntityRow | null> {
  const found = selectEntities(db)
    .where('bulk_import_entities.id', '=', id)
    .where('bulk_import_entities.bulk_import_id', '=', importId);
  return (await found.executeTakeFirst()) ?? null;
}

/**
 * Returns one page of the entities of an import or of a user. index: bulk_import_entities_by_user, bulk_import_entities_by_user_status,
 * bulk_import_entities_by_import, bulk_import_entities_by_import_status
 */
export function listEntities(
  db: Reader,
  of: { readonly userId: number } | { readonly importId: number },
  { sort, status }: BulkImportFilter,
  page: OffsetRequest,
): Promise<Page<BulkImportEntityRow>> {
  const found = (
    'userId' in of
      ? selectEntities(db).where('bulk_import_entities.user_id', '=', of.userId)
      : selectEntities(db).where('bulk_import_entities.bulk_import_id', '=', of.importId)
  ).$if(status != null, (query) => query.where('bulk_import_entities.status', '=', status!));
  const ordered = found.orderBy('bulk_import_entities.created_at', sort).orderBy('bulk_import_entities.id', sort);
  return paginate(db, ordered, page);
}

const failureColumns = [
  'id',
  'entity_id',
  'relation',
  'step',
  'exception_class',
  'exception_message',
  'correlation_id',
  'source_url',
  'source_title',
  'created_at',
] as const;

/** Returns one page of the failures of an entity, oldest first. index: bulk_import_failures_by_entity */
export function listFailures(db: Reader, entityId: number, page: OffsetRequest): Promise<Page<BulkImportFailureRow>> {
  const found = db.selectFrom('bulk_import_failures').select(failureColumns).where('entity_id', '=', entityId);
  return paginate(db, found.orderBy('id'), page);
}

/** Maximum number of failures inside an entity; the list of failures has all of them. */
const MAX_EMBEDDED_FAILURES = 20;

/** Returns the first failures of each of these entities. index: bulk_import_failures_by_entity */
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
              .selectFrom('bulk_import_failures as first')
              .select('first.id')
              .whereRef('first.entity_id', '=', 'bulk_import_entities.id')
              .orderBy('first.id')
              .limit(MAX_EMBEDDED_FAILURES),
          ),
        ),
    )
    .select(failureColumns.map((column) => `bulk_import_failures.${column}` as const))
    .where('bulk_import_entities.id', 'in', entityIds)
    .orderBy('bulk_import_failures.id')
    .execute();
}

export interface RelationStatsRow {
  readonly entity_id: number;
  readonly relation: string;
  readonly source_count: number;
  readonly fetched_count: number;
  readonly imported_count: number;
}

/** Returns the counts of the relations of these entities, without empty ones. index: bulk_import_trackers_by_relation */
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

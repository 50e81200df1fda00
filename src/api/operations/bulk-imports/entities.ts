import { Type } from 'typebox';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { RELATIONS_IN_STATS } from '../bulk-import-engine/index.ts';
import {
  type BulkImportEntityRow,
  type BulkImportFailureRow,
  type BulkImportRow,
  loadFirstFailures,
  loadRelationStats,
  type RelationStatsRow,
} from './store.ts';

/** An import (contract/operations.md §1.1). */
export const BulkImport = entity('BulkImport', {
  id: Type.Integer(),
  status: Type.String(),
  source_type: Type.String(),
  source_url: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
  has_failures: Type.Boolean(),
})
  .columns('id', 'status', 'source_url', 'created_at', 'updated_at', 'has_failures')
  .from((_row: BulkImportRow) => ({ source_type: 'gitlab' }));

const EmbeddedFailure = objectSchema('BulkImportEntityFailure', {
  relation: Type.String(),
  step: Type.String(),
  pipeline_step: Type.String(),
  pipeline_class: Type.String(),
  exception_class: Type.String(),
  exception_message: Type.String(),
  correlation_id_value: Type.String(),
  created_at: dateTime,
  source_url: nullable(Type.String()),
  source_title: nullable(Type.String()),
});

/** A group or project of an import (contract/operations.md §1.2). */
export const BulkImportEntity = entity('BulkImportEntity', {
  id: Type.Integer(),
  bulk_import_id: Type.Integer(),
  status: Type.String(),
  source_type: Type.String(),
  entity_type: Type.String(),
  source_full_path: Type.String(),
  destination_full_path: nullable(Type.String({ description: 'Null until the group or project is created.' })),
  destination_name: Type.String(),
  destination_slug: Type.String(),
  destination_namespace: Type.String(),
  parent_id: nullable(Type.Integer({ description: 'The entity of the group above, or null for a requested entity.' })),
  namespace_id: nullable(Type.Integer()),
  project_id: nullable(Type.Integer()),
  created_at: dateTime,
  updated_at: dateTime,
  failures: Type.Array(EmbeddedFailure),
  migrate_projects: Type.Boolean(),
  migrate_memberships: Type.Boolean(),
  has_failures: Type.Boolean(),
  stats: Type.Record(
    Type.String(),
    objectSchema('BulkImportCounts', { source: Type.Integer(), fetched: Type.Integer(), imported: Type.Integer() }),
  ),
}).from(loadEntityRelations, ({ source_type, ...row }: BulkImportEntityRow, _context, relations) => ({
  ...row,
  source_type: 'gitlab',
  entity_type: source_type === 'group_entity' ? 'group' : 'project',
  destination_name: row.destination_slug,
  failures: (relations.failures.get(row.id) ?? []).map((failure) => ({
    relation: failure.relation,
    step: failure.step,
    pipeline_step: failure.step,
    pipeline_class: buildPipelineClassName(failure.relation),
    exception_class: failure.exception_class,
    exception_message: failure.exception_message,
    correlation_id_value: failure.correlation_id,
    created_at: failure.created_at,
    source_url: failure.source_url,
    source_title: failure.source_title,
  })),
  stats: Object.fromEntries(
    (relations.counts.get(row.id) ?? [])
      .filter(({ relation }) => RELATIONS_IN_STATS.has(relation))
      .map(({ relation, source_count: source, fetched_count: fetched, imported_count: imported }) => [
        relation,
        { source, fetched, imported },
      ]),
  ),
}));

interface EntityRelations {
  readonly failures: ReadonlyMap<number, readonly BulkImportFailureRow[]>;
  readonly counts: ReadonlyMap<number, readonly RelationStatsRow[]>;
}

async function loadEntityRelations(
  rows: readonly BulkImportEntityRow[],
  { db }: SerializationContext,
): Promise<EntityRelations> {
  const ids = rows.map(({ id }) => id);
  return {
    failures: Map.groupBy(await loadFirstFailures(db, ids), ({ entity_id }) => entity_id),
    counts: Map.groupBy(await loadRelationStats(db, ids), ({ entity_id }) => entity_id),
  };
}

/** Returns the class name of the pipeline of a relation, as the reference implementation names it. */
function buildPipelineClassName(relation: string): string {
  const [firstRelation = ''] = relation.split(',');
  const name = firstRelation.replace(/(?:^|_)([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
  return `BulkImports::Common::Pipelines::${name}Pipeline`;
}

/** A record that could not be imported (contract/operations.md §1.2). */
export const BulkImportFailure = entity('BulkImportFailure', {
  relation: Type.String(),
  exception_message: Type.String(),
  exception_class: Type.String(),
  correlation_id_value: Type.String(),
  source_url: nullable(Type.String()),
  source_title: nullable(Type.String()),
})
  .columns('relation', 'exception_message', 'exception_class', 'source_url', 'source_title')
  .from(({ correlation_id }: BulkImportFailureRow) => ({ correlation_id_value: correlation_id }));

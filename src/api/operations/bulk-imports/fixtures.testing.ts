import type { BulkImportState } from '#database/schema.ts';
import type { Server } from '#server.ts';

/** Inserts an import of this user with one partly failed group entity, without a destination. `at`: its timestamps. */
export function insertImportWithFailure(
  { services }: Pick<Server, 'services'>,
  userId: number,
  { status = 'finished', at }: { readonly status?: BulkImportState; readonly at?: string } = {},
): Promise<{ readonly id: number; readonly entity: number }> {
  return services.database.transaction(async (tx) => {
    const times = { created_at: at ?? tx.now, updated_at: at ?? tx.now };
    const { id } = await tx
      .insertInto('bulk_imports')
      .values({ user_id: userId, status, source_url: 'https://src.example', has_failures: true, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: entity } = await tx
      .insertInto('bulk_import_entities')
      .values({
        bulk_import_id: id,
        user_id: userId,
        source_type: 'group_entity',
        source_full_path: 'acme/tools',
        destination_namespace: '',
        destination_slug: 'tools',
        migrate_projects: true,
        migrate_memberships: true,
        status,
        has_failures: true,
        ...times,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const counts = { source_count: 10, fetched_count: 10, imported_count: 9 };
    await tx
      .insertInto('bulk_import_trackers')
      .values({ entity_id: entity, relation: 'labels', stage: 1, status: 'finished', ...counts })
      .execute();
    await tx
      .insertInto('bulk_import_failures')
      .values({
        entity_id: entity,
        relation: 'labels',
        step: 'extractor',
        exception_class: 'BulkImports::NetworkError',
        exception_message: 'Unsuccessful response 400 from [FILTERED]',
        correlation_id: '5b0d3f6d2b0d4c63a8b1f0c3a0f2b7aa',
        source_url: null,
        source_title: null,
        created_at: times.created_at,
      })
      .execute();
    return { id, entity };
  });
}

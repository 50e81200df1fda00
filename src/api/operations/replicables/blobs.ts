import { type Expression, sql } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { ReplicableName } from '#database/schema.ts';
import { isInSiteScope } from '#domain/site-scope.ts';
import type { LoadReplicables, Replicable, ReplicableSelection } from './replicable.ts';

// Objects stored as blobs, whose file name is their checksum.

export const loadLfsObjects: LoadReplicables = async (db, scope, selection) => {
  const id = sql.ref<number>('lfs_objects.id');
  // index: lfs_objects primary key, lfs_object_projects_by_object, projects primary key, repositories primary key
  const rows = await db
    .selectFrom('lfs_objects')
    .select(['lfs_objects.id', 'lfs_objects.oid as sha256', 'lfs_objects.size', 'lfs_objects.created_at'])
    .where(isInSelection(db, id, selection))
    .$if(scope.selective_sync_type !== null, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('lfs_object_projects')
            .innerJoin('projects', 'projects.id', 'lfs_object_projects.project_id')
            .innerJoin('repositories', 'repositories.project_id', 'projects.id')
            .select('projects.id')
            .where('lfs_object_projects.lfs_object_id', '=', id)
            .where(isInSiteScope(db, scope)),
        ),
      ),
    )
    .orderBy('lfs_objects.id')
    .limit(getSelectionLimit(selection))
    .execute();
  return rows.map((row) => toReplicable('lfs_object', row));
};

export const loadJobArtifacts: LoadReplicables = async (db, scope, selection) => {
  // index: job_artifacts primary key, projects primary key, repositories primary key
  const rows = await db
    .selectFrom('job_artifacts')
    .innerJoin('projects', 'projects.id', 'job_artifacts.project_id')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select(['job_artifacts.id', 'job_artifacts.sha256', 'job_artifacts.size', 'job_artifacts.created_at'])
    .where(isInSelection(db, sql.ref<number>('job_artifacts.id'), selection))
    .where(isInSiteScope(db, scope))
    .orderBy('job_artifacts.id')
    .limit(getSelectionLimit(selection))
    .execute();
  return rows.map((row) => toReplicable('job_artifact', row));
};

/** Returns the condition on `id` for the selected objects. */
export function isInSelection(db: Reader, id: Expression<number>, selection: ReplicableSelection) {
  return 'ids' in selection ? isInIds(db, id, selection.ids) : sql<boolean>`${id} > ${selection.afterId}`;
}

/** Returns the maximum number of rows that the selection can contain. */
export const getSelectionLimit = (selection: ReplicableSelection): number =>
  'ids' in selection ? selection.ids.length : selection.limit;

type BlobRow = Columns<'job_artifacts', 'id' | 'sha256' | 'size' | 'created_at'>;

function toReplicable(replicable_name: ReplicableName, { id, sha256, size, created_at }: BlobRow): Replicable {
  return {
    replicable_name,
    replicable_id: id,
    checksum: sha256,
    checksum_state: 'succeeded',
    size,
    path: null,
    storage: null,
    updated_at: created_at,
  };
}

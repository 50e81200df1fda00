import { sql } from 'kysely';
import type { CurrentAccess } from '#authorization/current-access.ts';
import { registerBlob, type StoredBlob } from '#blobs/store.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';

// LFS objects: stored once per server, linked per project (contract/repository.md §5, "Data model").

type LfsObject = Columns<'lfs_objects', 'oid' | 'size'>;

/** Number of object ids per statement. */
const BATCH_SIZE = 500;

/** Returns the objects with these oids that are linked to the project, by oid. */
export async function loadLinkedLfsObjects(
  db: Reader,
  projectId: number,
  oids: readonly string[],
): Promise<Map<string, LfsObject>> {
  const linkedObjects = new Map<string, LfsObject>();
  for (let start = 0; start < oids.length; start += BATCH_SIZE) {
    // index: lfs_objects_by_oid, lfs_object_projects_pkey
    const rows = await db
      .selectFrom('lfs_objects')
      .innerJoin('lfs_object_projects', 'lfs_object_projects.lfs_object_id', 'lfs_objects.id')
      .select(['lfs_objects.oid', 'lfs_objects.size'])
      .where('lfs_object_projects.project_id', '=', projectId)
      .where('lfs_objects.oid', 'in', oids.slice(start, start + BATCH_SIZE))
      .execute();
    for (const row of rows) linkedObjects.set(row.oid, row);
  }
  return linkedObjects;
}

/** Returns the oids among these that are not linked to the project. */
export async function listUnlinkedOids(db: Reader, projectId: number, oids: readonly string[]): Promise<string[]> {
  const linkedObjects = await loadLinkedLfsObjects(db, projectId, oids);
  return oids.filter((oid) => !linkedObjects.has(oid));
}

/** Returns the object if it is linked to this project, else null. */
export async function findLinkedLfsObject(db: Reader, projectId: number, oid: string): Promise<LfsObject | null> {
  const row = await db
    .selectFrom('lfs_objects')
    .innerJoin('lfs_object_projects', 'lfs_object_projects.lfs_object_id', 'lfs_objects.id')
    .select(['lfs_objects.oid', 'lfs_objects.size'])
    .where('lfs_object_projects.project_id', '=', projectId)
    .where('lfs_objects.oid', '=', oid)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the oids of all objects linked to this project, sorted. */
export async function listLinkedOids(db: Reader, projectId: number): Promise<string[]> {
  // index: lfs_object_projects_pkey
  const rows = await db
    .selectFrom('lfs_object_projects')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select('lfs_objects.oid')
    .where('lfs_object_projects.project_id', '=', projectId)
    .orderBy('lfs_objects.oid')
    .execute();
  return rows.map(({ oid }) => oid);
}

/** Links a stored object to the project. The caller has reloaded `CurrentAccess` in this transaction. */
export async function linkLfsObject(
  tx: Transaction,
  { project }: CurrentAccess,
  storedBlob: StoredBlob,
): Promise<void> {
  await registerBlob(tx, storedBlob);
  const { sha256: oid, size } = storedBlob;
  await tx
    .insertInto('lfs_objects')
    .values({ oid, size, created_at: tx.now })
    .onConflict((conflict) => conflict.column('oid').doNothing())
    .execute();
  const { id } = await tx.selectFrom('lfs_objects').select('id').where('oid', '=', oid).executeTakeFirstOrThrow();
  const linkedObject = await tx
    .insertInto('lfs_object_projects')
    .values({ lfs_object_id: id, project_id: project.id })
    .onConflict((conflict) => conflict.columns(['project_id', 'lfs_object_id']).doNothing())
    .returning('lfs_object_id')
    .executeTakeFirst();
  if (linkedObject === undefined) return;
  // index: repositories primary key
  await tx
    .updateTable('repositories')
    .set((eb) => ({ lfs_size: eb('lfs_size', '+', size) }))
    .where('project_id', '=', project.id)
    .execute();
}

/** Deletes up to `limit` objects that no project is linked to and that were stored before `before`. Returns their number. */
export async function deleteUnlinkedLfsObjects(tx: Transaction, before: string, limit: number): Promise<number> {
  // index: lfs_object_projects_by_object
  const unlinkedObjects = await tx
    .selectFrom('lfs_objects')
    .leftJoin('lfs_object_projects', 'lfs_object_projects.lfs_object_id', 'lfs_objects.id')
    .select('lfs_objects.id')
    .where('lfs_object_projects.project_id', 'is', null)
    .where('lfs_objects.created_at', '<', before)
    .limit(limit)
    .execute();
  if (unlinkedObjects.length === 0) return 0;
  const ids = unlinkedObjects.map(({ id }) => id);
  await tx.deleteFrom('lfs_objects').where('id', 'in', ids).execute();
  return ids.length;
}

/**
 * Returns whether LFS is enabled in this project: by its own setting and that of every ancestor group
 * (contract/planning.md §3.1, §3.3).
 */
export async function isLfsEnabled(
  db: Reader,
  project: { readonly lfs_enabled: boolean; readonly namespace_id: number },
): Promise<boolean> {
  if (!project.lfs_enabled) return false;
  // index: namespace_closure_pkey
  const ancestors = await selectSelfAndAncestors(db, project.namespace_id).select('namespaces.attributes').execute();
  return ancestors.every(({ attributes }) => parseGroupAttributes(attributes).lfs_enabled);
}

/** Returns the total bytes of LFS objects by project id; projects without any are omitted. */
export async function loadLfsSizes(db: Reader, projectIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (projectIds.length === 0) return new Map();
  // index: lfs_object_projects_pkey
  const rows = await db
    .selectFrom('lfs_object_projects')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select(['project_id', sql<number>`cast(sum(lfs_objects.size) as bigint)`.as('bytes')])
    .where('project_id', 'in', projectIds)
    .groupBy('project_id')
    .execute();
  return new Map(rows.map((row) => [row.project_id, row.bytes]));
}

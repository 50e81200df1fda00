import { type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';

/**
 * The columns of all tables that refer to blobs; each needs its own index. Add a column here to protect its blobs from the
 * cleanup. `references.test.ts` compares the list with the foreign keys.
 */
export const BLOB_REFERENCES = ['lfs_objects.oid', 'job_trace_chunks.sha256', 'job_artifacts.sha256'] as const;

const isReferenced = sql.join<SqlBool>(BLOB_REFERENCES.map(createReferenceCondition), sql` or `);

// index: lfs_objects_by_oid, job_trace_chunks_by_blob, job_artifacts_by_blob
function createReferenceCondition(column: (typeof BLOB_REFERENCES)[number]) {
  const [table] = column.split('.') as [string];
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = blobs.sha256)`;
}

/** Returns the digests among `sha256s` whose blobs are referenced by a row of any table. */
export async function findReferencedBlobs(db: Reader, sha256s: readonly string[]): Promise<string[]> {
  if (sha256s.length === 0) return [];
  const rows = await db
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', 'in', sha256s)
    .where(sql<SqlBool>`(${isReferenced})`)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

import { type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';

/**
 * The columns of all tables that refer to blobs, each served by an index of its own: who keeps content adds his here,
 * and what his rows name is not swept. `references.test.ts` compares them with the foreign keys that there are.
 */
export const REFERENCES = ['lfs_objects.oid', 'job_trace_chunks.sha256', 'job_artifacts.sha256'] as const;

const isReferenced = sql.join<SqlBool>(REFERENCES.map(refersTo), sql` or `);

// index: lfs_objects_by_oid, job_trace_chunks_by_blob, job_artifacts_by_blob
function refersTo(column: (typeof REFERENCES)[number]) {
  const [table] = column.split('.') as [string];
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = blobs.sha256)`;
}

/** Which of these blobs do rows of any table refer to? */
export async function referencedAmong(db: Reader, sha256s: readonly string[]): Promise<string[]> {
  if (sha256s.length === 0) return [];
  const rows = await db
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', 'in', sha256s)
    .where(sql<SqlBool>`(${isReferenced})`)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

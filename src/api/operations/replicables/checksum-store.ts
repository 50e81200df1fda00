import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import type { ReplicableName } from '#database/schema.ts';

/** Stored checksums, and the repositories to which they belong. */

/** The id column of each kind of repository. */
const ID_COLUMNS = {
  project_repository: 'repositories.project_id',
  project_wiki_repository: 'wikis.wiki_id',
  group_wiki_repository: 'wikis.wiki_id',
  snippet_repository: 'snippets.id',
} as const satisfies Partial<Record<ReplicableName, `${string}.${string}`>>;

type RepositoryKind = keyof typeof ID_COLUMNS;

/** Maximum number of rows that one transaction deletes. */
const BATCH_SIZE = 1_000;

/** Returns the join condition: `join.on(isChecksumOf('snippet_repository'))` joins `snippets`. index: geo_checksums_pkey */
export function isChecksumOf(kind: RepositoryKind): RawBuilder<SqlBool> {
  return sql<SqlBool>`geo_checksums.replicable_name = ${kind} and geo_checksums.replicable_id = ${sql.ref(ID_COLUMNS[kind])}`;
}

/** Deletes the checksums of repositories that no longer exist. */
export async function deleteOrphanedChecksums(database: Database): Promise<void> {
  for (const kind of Object.keys(ID_COLUMNS) as RepositoryKind[])
    while ((await deleteChecksumBatch(database, kind)) === BATCH_SIZE);
}

/** Deletes a batch of orphaned checksums of a kind. Returns the number of deleted rows. */
async function deleteChecksumBatch({ reader, transaction }: Database, kind: RepositoryKind): Promise<number> {
  const ids = await listOrphanIds(reader, kind);
  if (ids.length === 0) return 0;
  await transaction((tx) =>
    tx
      .deleteFrom('geo_checksums')
      .where('replicable_name', '=', kind)
      .where(isInIds(tx, sql<number>`replicable_id`, ids))
      .execute(),
  );
  return ids.length;
}

/** index: geo_checksums_pkey, repositories primary key, wikis primary key, snippets primary key */
async function listOrphanIds(db: Reader, kind: RepositoryKind): Promise<number[]> {
  const [table] = ID_COLUMNS[kind].split('.') as [string];
  const rows = await db
    .selectFrom('geo_checksums')
    .select('replicable_id')
    .where('replicable_name', '=', kind)
    .where(sql<SqlBool>`not exists (select 1 from ${sql.table(table)} where ${isChecksumOf(kind)})`)
    .limit(BATCH_SIZE)
    .modifyEnd(LONG_RUNNING)
    .execute();
  return rows.map(({ replicable_id }) => replicable_id);
}

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import type { ReplicableName } from '#database/tables/replication-sites.ts';

/** The rows of checksums that the queue has found, and the repositories that they are of. */

/** Where the repositories of each kind stand, by their ids. */
const HOMES = {
  project_repository: 'repositories.project_id',
  project_wiki_repository: 'wikis.wiki_id',
  group_wiki_repository: 'wikis.wiki_id',
  snippet_repository: 'snippets.id',
} as const satisfies Partial<Record<ReplicableName, `${string}.${string}`>>;

type Kind = keyof typeof HOMES;

/** So many go in one transaction. */
const PIECE = 1_000;

/** `join.on(isChecksumOf('snippet_repository'))`, to `snippets`. index: geo_checksums_pkey */
export function isChecksumOf(kind: Kind): RawBuilder<SqlBool> {
  return sql<SqlBool>`geo_checksums.replicable_name = ${kind} and geo_checksums.replicable_id = ${sql.ref(HOMES[kind])}`;
}

/** Forgets those of repositories that are there no more. */
export async function deleteChecksums(database: Database): Promise<void> {
  for (const kind of Object.keys(HOMES) as Kind[]) while ((await forgetSome(database, kind)) === PIECE);
}

/** How many of a kind it were. */
async function forgetSome({ reader, transaction }: Database, kind: Kind): Promise<number> {
  const ids = await orphans(reader, kind);
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
async function orphans(db: Reader, kind: Kind): Promise<number[]> {
  const [table] = HOMES[kind].split('.') as [string];
  const rows = await db
    .selectFrom('geo_checksums')
    .select('replicable_id')
    .where('replicable_name', '=', kind)
    .where(sql<SqlBool>`not exists (select 1 from ${sql.table(table)} where ${isChecksumOf(kind)})`)
    .limit(PIECE)
    .modifyEnd(longRunning)
    .execute();
  return rows.map(({ replicable_id }) => replicable_id);
}

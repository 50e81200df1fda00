import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { isChecksumOf } from './checksums.ts';
import { IS_FETCHABLE, isRouteOf } from './repositories.ts';

/** Number of objects of a kind, of objects with a checksum, and of objects whose checksum computation failed. */
interface ReplicableCounts {
  readonly all: number;
  readonly checksummed: number;
  readonly failed: number;
}

/** Returns the counts of all kinds, by the name of the kind in the status of a site. */
export async function countReplicables(db: Reader): Promise<Readonly<Record<string, ReplicableCounts>>> {
  return {
    project_repositories: await countRepositories(db),
    project_wiki_repositories: await countWikis(db, 'project'),
    group_wiki_repositories: await countWikis(db, 'group'),
    snippet_repositories: await countSnippets(db),
    lfs_objects: toBlobCounts(await countRows(db, 'lfs_objects')),
    job_artifacts: toBlobCounts(await countRows(db, 'job_artifacts')),
  };
}

/** Returns the counts of blobs. Every blob has a checksum, because its file name is the checksum. */
const toBlobCounts = (all: number): ReplicableCounts => ({ all, checksummed: all, failed: 0 });

export async function countRows(db: Reader, table: 'lfs_objects' | 'job_artifacts' | 'projects'): Promise<number> {
  const { all } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .modifyEnd(LONG_RUNNING)
    .executeTakeFirstOrThrow();
  return all;
}

/** Returns the SQL of `getRefVersion`, to compare it with the version of a stored checksum. */
const buildRefVersionSql = (table: 'repositories' | 'wikis' | 'snippets') =>
  sql`cast(${sql.ref(`${table}.ref_state_version`)} as text) || ' ' || ${sql.ref(`${table}.default_branch`)}`;

async function countRepositories(db: Reader): Promise<ReplicableCounts> {
  return db
    .selectFrom('repositories')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('project_repository')))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...selectChecksumCounts(buildRefVersionSql('repositories'))])
    .modifyEnd(LONG_RUNNING)
    .executeTakeFirstOrThrow();
}

/** Counts the wikis that secondaries can fetch, like `createWikiLoader` selects them. */
async function countWikis(db: Reader, owner: 'project' | 'group'): Promise<ReplicableCounts> {
  return db
    .selectFrom('wikis')
    .innerJoin('routes', (join) => join.on(isRouteOf(owner)))
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf(`${owner}_wiki_repository`)))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...selectChecksumCounts(buildRefVersionSql('wikis'))])
    .where(`wikis.${owner}_id`, 'is not', null)
    .where('wikis.empty', '=', false)
    .where(IS_FETCHABLE)
    .modifyEnd(LONG_RUNNING)
    .executeTakeFirstOrThrow();
}

async function countSnippets(db: Reader): Promise<ReplicableCounts> {
  // `made`: the repository was created.
  return db
    .selectFrom('snippets')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('snippet_repository')))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...selectChecksumCounts(buildRefVersionSql('snippets'))])
    .where('snippets.repository_created', '=', true)
    .modifyEnd(LONG_RUNNING)
    .executeTakeFirstOrThrow();
}

/** Returns columns that count computed and failed checksums of the current version. */
function selectChecksumCounts(version: RawBuilder<unknown>) {
  const countWhere = (condition: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(case when geo_checksums.version = ${version} and geo_checksums.checksum ${condition}
      then 1 else 0 end), 0) as bigint)`;
  return [countWhere(sql`is not null`).as('checksummed'), countWhere(sql`is null`).as('failed')] as const;
}

import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import { isChecksumOf } from './checksum-store.ts';
import { IS_FETCHED, isRouteOf } from './wiki-routes.ts';

/** How many things of a kind this server has, and of how many the checksum is known, or could not be found out. */
interface ReplicableCounts {
  readonly all: number;
  readonly checksummed: number;
  readonly failed: number;
}

/** Of all kinds that there are, by the names of the status document. */
export async function countReplicables(db: Reader): Promise<Readonly<Record<string, ReplicableCounts>>> {
  return {
    project_repositories: await countRepositories(db),
    project_wiki_repositories: await countWikis(db, 'project'),
    group_wiki_repositories: await countWikis(db, 'group'),
    snippet_repositories: await countSnippets(db),
    lfs_objects: blobs(await countRows(db, 'lfs_objects')),
    job_artifacts: blobs(await countRows(db, 'job_artifacts')),
  };
}

/** They are called by their checksum. */
const blobs = (all: number): ReplicableCounts => ({ all, checksummed: all, failed: 0 });

export async function countRows(db: Reader, table: 'lfs_objects' | 'job_artifacts' | 'projects'): Promise<number> {
  const { all } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .modifyEnd(longRunning)
    .executeTakeFirstOrThrow();
  return all;
}

/** `refVersion` in SQL. */
const ofProjects = sql`cast(repositories.ref_state_version as text) || ' ' || repositories.default_branch`;

async function countRepositories(db: Reader): Promise<ReplicableCounts> {
  return db
    .selectFrom('repositories')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('project_repository')))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...found(ofProjects)])
    .modifyEnd(longRunning)
    .executeTakeFirstOrThrow();
}

async function countWikis(db: Reader, owner: 'project' | 'group'): Promise<ReplicableCounts> {
  const present = sql`cast(wikis.ref_state_version as text) || ' ' || wikis.default_branch`;
  return db
    .selectFrom('wikis')
    .innerJoin('routes', (join) => join.on(isRouteOf(owner)))
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf(`${owner}_wiki_repository`)))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...found(present)])
    .where(`wikis.${owner}_id`, 'is not', null)
    .where('wikis.empty', '=', false)
    .where(IS_FETCHED)
    .modifyEnd(longRunning)
    .executeTakeFirstOrThrow();
}

async function countSnippets(db: Reader): Promise<ReplicableCounts> {
  return db
    .selectFrom('snippets')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('snippet_repository')))
    .select(({ fn }) => [fn.countAll<number>().as('all'), ...found(sql`snippets.updated_at`)])
    .where('snippets.made', '=', true)
    .modifyEnd(longRunning)
    .executeTakeFirstOrThrow();
}

/** Of how many the present version's checksum was found, and could not be. */
function found(version: RawBuilder<unknown>) {
  const counted = (known: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(case when geo_checksums.version = ${version} and geo_checksums.checksum ${known}
      then 1 else 0 end), 0) as bigint)`;
  return [counted(sql`is not null`).as('checksummed'), counted(sql`is null`).as('failed')] as const;
}

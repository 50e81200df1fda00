import { sql } from 'kysely';
import { isInSiteScope } from '#domain/site-scope.ts';
import { getRefVersion } from '#repositories/repository.ts';
import { areThese, mostOf } from './blobs.ts';
import { isChecksumOf } from './checksum-store.ts';
import type { ReadReplicables } from './replicable.ts';
import { IS_FETCHED, isRouteOf } from './wiki-routes.ts';

/** Repositories, whose checksum the queue finds out: it is that of one version of their refs. */

export const readProjectRepositories: ReadReplicables = async (db, scope, which) => {
  // index: repositories primary key, projects primary key, routes_by_project, geo_checksums_pkey
  const rows = await db
    .selectFrom('repositories')
    .innerJoin('projects', 'projects.id', 'repositories.project_id')
    .innerJoin('routes', 'routes.project_id', 'repositories.project_id')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('project_repository')))
    .select([
      'repositories.project_id',
      'repositories.storage',
      'repositories.ref_state_version',
      'repositories.default_branch',
      'routes.full_path',
      'projects.updated_at',
      'geo_checksums.version',
      'geo_checksums.checksum',
    ])
    .where(areThese(db, sql.ref<number>('repositories.project_id'), which))
    .where(isInSiteScope(db, scope))
    .orderBy('repositories.project_id')
    .limit(mostOf(which))
    .execute();
  return rows.map((row) => ({
    replicable_name: 'project_repository',
    replicable_id: row.project_id,
    ...checksumAt(getRefVersion(row), row),
    size: null,
    path: row.full_path,
    storage: row.storage,
    updated_at: row.updated_at,
  }));
};

/** Where a snippet is fetched from, below this server's address. */
const pathOfSnippet = (id: number): string => `snippets/${id}`;

/** Snippets of people lie in no group. */
export const readSnippetRepositories: ReadReplicables = async (db, scope, which) => {
  // index: snippets primary key, geo_checksums_pkey
  const rows = await db
    .selectFrom('snippets')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('snippet_repository')))
    .select([
      'snippets.id',
      'snippets.storage',
      'snippets.updated_at',
      'geo_checksums.version',
      'geo_checksums.checksum',
    ])
    .where(areThese(db, sql.ref<number>('snippets.id'), which))
    .where('snippets.made', '=', true)
    .where(isInSiteScope(db, scope, { namespace: null, storage: 'snippets.storage' }))
    .orderBy('snippets.id')
    .limit(mostOf(which))
    .execute();
  return rows.map(({ id, storage, updated_at, ...found }) => ({
    replicable_name: 'snippet_repository',
    replicable_id: id,
    ...checksumAt(updated_at, found),
    size: null,
    path: pathOfSnippet(id),
    storage,
    updated_at,
  }));
};

/** The repositories of wikis into which something has been written and that can be fetched: of projects, or of groups. */
const readWikis =
  (owner: 'project' | 'group'): ReadReplicables =>
  async (db, scope, which) => {
    const replicable_name = `${owner}_wiki_repository` as const;
    // index: wikis primary key, projects primary key, routes_by_project, routes_by_namespace, routes_by_full_path, geo_checksums_pkey
    const rows = await db
      .selectFrom('wikis')
      .leftJoin('projects', 'projects.id', 'wikis.project_id')
      .innerJoin('routes', (join) => join.on(isRouteOf(owner)))
      .leftJoin('geo_checksums', (join) => join.on(isChecksumOf(replicable_name)))
      .select([
        'wikis.wiki_id',
        'wikis.storage',
        'wikis.ref_state_version',
        'wikis.default_branch',
        'wikis.updated_at',
        'routes.full_path',
        'geo_checksums.version',
        'geo_checksums.checksum',
      ])
      .where(areThese(db, sql.ref<number>('wikis.wiki_id'), which))
      .where(`wikis.${owner}_id`, 'is not', null)
      .where('wikis.empty', '=', false)
      .where(IS_FETCHED)
      .where(isInSiteScope(db, scope, { namespace: NAMESPACE[owner], storage: 'wikis.storage' }))
      .orderBy('wikis.wiki_id')
      .limit(mostOf(which))
      .execute();
    return rows.map((row) => ({
      replicable_name,
      replicable_id: row.wiki_id,
      ...checksumAt(getRefVersion(row), row),
      size: null,
      path: `${row.full_path}.wiki`,
      storage: row.storage,
      updated_at: row.updated_at,
    }));
  };

const NAMESPACE = { project: 'projects.namespace_id', group: 'wikis.group_id' };

export const readProjectWikis = readWikis('project');
export const readGroupWikis = readWikis('group');

interface Found {
  readonly version: string | null;
  readonly checksum: string | null;
}

/** What was found counts for the version that it was found at. */
function checksumAt(present: string, { version, checksum }: Found) {
  if (version !== present) return { checksum: null, checksum_state: 'pending' } as const;
  return { checksum, checksum_state: checksum === null ? 'failed' : 'succeeded' } as const;
}

import type { Reader } from '#database/database.ts';
import type { ReplicableName } from '#database/tables/replication-sites.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { readJobArtifacts, readLfsObjects } from './blobs.ts';
import type { ReadReplicables, Replicable, Which } from './replicable.ts';
import { readGroupWikis, readProjectRepositories, readProjectWikis, readSnippetRepositories } from './repositories.ts';

/** Kinds that are not here have nothing yet that could be copied. */
const READERS: { readonly [Name in ReplicableName]?: ReadReplicables } = {
  project_repository: readProjectRepositories,
  project_wiki_repository: readProjectWikis,
  group_wiki_repository: readGroupWikis,
  snippet_repository: readSnippetRepositories,
  lfs_object: readLfsObjects,
  job_artifact: readJobArtifacts,
};

/** Some things of a kind of which the site holds a copy, by their ids. */
export async function readReplicables(
  db: Reader,
  scope: SiteScope,
  name: ReplicableName,
  which: Which,
): Promise<Replicable[]> {
  if ('ids' in which && which.ids.length === 0) return [];
  return (await READERS[name]?.(db, scope, which)) ?? [];
}

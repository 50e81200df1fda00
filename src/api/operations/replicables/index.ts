import type { Reader } from '#database/database.ts';
import type { ReplicableName } from '#database/schema.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { loadJobArtifacts, loadLfsObjects } from './blobs.ts';
import { computeChecksums } from './checksums.ts';
import type { LoadReplicables, Replicable, ReplicableSelection } from './replicable.ts';
import { loadGroupWikis, loadProjectRepositories, loadProjectWikis, loadSnippetRepositories } from './repositories.ts';

export { deleteOrphanedChecksums, enqueueChecksums } from './checksums.ts';
export { countReplicables, countRows } from './counts.ts';

export { REPLICABLE_NAMES, type Replicable } from './replicable.ts';

/** The objects that secondaries copy, by kind. It has no endpoints; other resource modules use it. */
export const replicables = resourceModule({ endpoints: {}, jobs: [computeChecksums] });

/** Kinds without an entry have no objects to copy yet. */
const LOADERS: { readonly [Name in ReplicableName]?: LoadReplicables } = {
  project_repository: loadProjectRepositories,
  project_wiki_repository: loadProjectWikis,
  group_wiki_repository: loadGroupWikis,
  snippet_repository: loadSnippetRepositories,
  lfs_object: loadLfsObjects,
  job_artifact: loadJobArtifacts,
};

/** Loads the selected objects of a kind in the site's scope, ordered by id. */
export async function loadReplicables(
  db: Reader,
  scope: SiteScope,
  name: ReplicableName,
  selection: ReplicableSelection,
): Promise<Replicable[]> {
  if ('ids' in selection && selection.ids.length === 0) return [];
  return (await LOADERS[name]?.(db, scope, selection)) ?? [];
}

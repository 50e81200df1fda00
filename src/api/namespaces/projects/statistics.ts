import { Type } from 'typebox';
import { REPORTER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { loadSnippetSizesByProject } from '#domain/snippets.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';
import { loadLfsSizes } from '#repositories/lfs/lfs-objects.ts';
import { loadRepositoryMeasures, type RepositoryMeasures } from '#repositories/maintenance/summary.ts';
import { loadWikiSizesByProject } from '#repositories/wikis/maintenance.ts';

/** Sizes of projects and groups, in bytes (contract/planning.md §1 "GroupDetail", §3.3). */

const bytes = Type.Integer();

/** The fields of sizes that groups and projects have. */
export const sizeFields = {
  storage_size: bytes,
  repository_size: bytes,
  wiki_size: bytes,
  lfs_objects_size: bytes,
  job_artifacts_size: bytes,
  pipeline_artifacts_size: bytes,
  packages_size: bytes,
  snippets_size: bytes,
  uploads_size: bytes,
};

/** The sizes of a project, and the number of commits on its default branch. */
export const ProjectStatistics = objectSchema('ProjectStatistics', {
  commit_count: Type.Integer(),
  ...sizeFields,
  container_registry_size: bytes,
});

/** The sizes that are measured, in bytes. */
type MeasuredSizes = Readonly<Record<'repository' | 'lfs' | 'wiki' | 'snippets', number>>;

/** Returns all size fields; unsupported ones are 0. */
export function toSizes({ repository, lfs, wiki, snippets }: MeasuredSizes) {
  return {
    storage_size: repository + lfs + wiki + snippets,
    repository_size: repository,
    wiki_size: wiki,
    lfs_objects_size: lfs,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: snippets,
    uploads_size: 0,
  };
}

type Statistics = ReturnType<typeof toSizes> &
  Pick<RepositoryMeasures, 'commit_count'> & { container_registry_size: number };

/** Loads the statistics, if requested, of projects where the caller is at least Reporter. */
export async function loadProjectStatistics(
  projects: readonly Project[],
  { db, git, caller, params }: SerializationContext,
): Promise<ReadonlyMap<number, Statistics>> {
  if (params.statistics !== true) return new Map();
  const ids = projects.filter((project) => getProjectRole(caller, project) >= REPORTER).map(({ id }) => id);
  const [measures, lfsSizes, wikiSizes, snippetSizes] = await Promise.all([
    loadRepositoryMeasures(db, git, ids),
    loadLfsSizes(db, ids),
    loadWikiSizesByProject(db, git, ids),
    loadSnippetSizesByProject(db, ids),
  ]);
  const entries = ids.map((id): [number, Statistics] => {
    const { commit_count, size } = measures.get(id) ?? { commit_count: 0, size: 0 };
    const sizes = toSizes({
      repository: size,
      lfs: lfsSizes.get(id) ?? 0,
      wiki: wikiSizes.get(id) ?? 0,
      snippets: snippetSizes.get(id) ?? 0,
    });
    return [id, { commit_count, ...sizes, container_registry_size: 0 }];
  });
  return new Map(entries);
}

import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { MergeSettings } from './mergeability.ts';

/** Selects each project with its ancestor groups or user namespace. index: projects primary key, namespace_closure_pkey */
const attributesQuery = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .select(['projects.id', 'projects.attributes', 'namespaces.attributes as above'])
    .where('projects.id', 'in', ids),
);

/**
 * Loads the effective merge settings by project id. Pipeline and thread requirements of an ancestor group apply to all its projects
 * (contract/planning.md §3.1).
 */
export async function loadMergeSettings(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, MergeSettings>> {
  const settings = new Map<number, MergeSettings>();
  for (const { id, attributes, above } of await attributesQuery(db, projectIds)) {
    const own = settings.get(id) ?? storedAttributes({ attributes });
    const group = parseGroupAttributes(above);
    settings.set(id, {
      ...own,
      only_allow_merge_if_pipeline_succeeds:
        own.only_allow_merge_if_pipeline_succeeds || group.only_allow_merge_if_pipeline_succeeds,
      only_allow_merge_if_all_discussions_are_resolved:
        own.only_allow_merge_if_all_discussions_are_resolved || group.only_allow_merge_if_all_discussions_are_resolved,
      allow_merge_on_skipped_pipeline: own.allow_merge_on_skipped_pipeline || group.allow_merge_on_skipped_pipeline,
    });
  }
  return settings;
}

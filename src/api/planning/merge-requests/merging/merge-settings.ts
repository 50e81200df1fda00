import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { MergeSettings } from './mergeability.ts';

/** Each project with the groups above it, or the user whose it is. index: projects primary key, namespace_closure_pkey */
const attributesOf = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .select(['projects.id', 'projects.attributes', 'namespaces.attributes as above'])
    .where('projects.id', 'in', ids),
);

/**
 * What counts for merges in each of these projects, by their ids: what a group above asks of pipelines and threads holds for every project
 * below, whatever that says itself (contract/planning.md §3.1).
 */
export async function mergeSettingsOf(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, MergeSettings>> {
  const settings = new Map<number, MergeSettings>();
  for (const { id, attributes, above } of await attributesOf(db, projectIds)) {
    const own = settings.get(id) ?? storedAttributes({ attributes });
    const group = groupAttributes(above);
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

import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { MergeSettings } from './mergeability.ts';

/** Loads the attributes of each project with those of its ancestor groups or user namespace, one row for each pair. index: projects primary key, namespace_closure_pkey */
const loadAttributes = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .select(['projects.id', 'projects.attributes', 'namespaces.attributes as namespace_attributes'])
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
  const settingsById = new Map<number, MergeSettings>();
  for (const { id, attributes, namespace_attributes } of await loadAttributes(db, projectIds)) {
    const projectSettings = settingsById.get(id) ?? parseStoredAttributes({ attributes });
    const groupSettings = parseGroupAttributes(namespace_attributes);
    settingsById.set(id, {
      ...projectSettings,
      only_allow_merge_if_pipeline_succeeds:
        projectSettings.only_allow_merge_if_pipeline_succeeds || groupSettings.only_allow_merge_if_pipeline_succeeds,
      only_allow_merge_if_all_discussions_are_resolved:
        projectSettings.only_allow_merge_if_all_discussions_are_resolved ||
        groupSettings.only_allow_merge_if_all_discussions_are_resolved,
      allow_merge_on_skipped_pipeline:
        projectSettings.allow_merge_on_skipped_pipeline || groupSettings.allow_merge_on_skipped_pipeline,
    });
  }
  return settingsById;
}

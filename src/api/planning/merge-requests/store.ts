import type { Insertable, Updateable } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { MergeSettings } from './merging/mergeability.ts';

export type NewMergeRequestRow = Insertable<Schema['merge_requests']>;

/** Inserts a merge request and returns its id. */
export async function insertMergeRequest(tx: Transaction, row: NewMergeRequestRow): Promise<number> {
  const { id } = await tx.insertInto('merge_requests').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Sets columns of a merge request. index: merge_requests primary key */
export async function updateMergeRequestRow(
  tx: Transaction,
  id: number,
  columns: Updateable<Schema['merge_requests']>,
): Promise<void> {
  await tx.updateTable('merge_requests').set(columns).where('id', '=', id).execute();
}

/** Stores an error message on an open merge request. index: merge_requests primary key */
export async function updateMergeError(tx: Transaction, id: number, text: string): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ merge_error: text, updated_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .execute();
}

/** Returns the open merge request for these branches, or null. index: merge_requests_open_by_branches */
export async function findOpenMergeRequestByBranches(
  db: Reader,
  projectId: number,
  source: string,
  target: string,
): Promise<{ readonly id: number; readonly iid: number } | null> {
  const openRow = await db
    .selectFrom('merge_requests')
    .select(['id', 'iid'])
    .where('project_id', '=', projectId)
    .where('source_branch', '=', source)
    .where('target_branch', '=', target)
    .where('state', '=', 'opened')
    .executeTakeFirst();
  return openRow ?? null;
}

/** Loads the latest version of each merge request. index: merge_request_versions_by_merge_request */
export const loadLatestVersions = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_versions')
    .select([
      'merge_request_versions.id',
      'merge_request_versions.merge_request_id',
      'merge_request_versions.state',
      'merge_request_versions.base_commit_sha',
      'merge_request_versions.head_commit_sha',
      'merge_request_versions.start_commit_sha',
      'merge_request_versions.real_size',
    ])
    .where('merge_request_versions.merge_request_id', 'in', ids)
    .where('merge_request_versions.id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions as newest')
        .select((eb) => eb.fn.max('newest.id').as('id'))
        .whereRef('newest.merge_request_id', '=', 'merge_request_versions.merge_request_id'),
    ),
);

interface NewVersionRow {
  /** Id of the merge request. */
  readonly id: number;
  readonly head: string;
  /** Head of the target branch and merge base; null if there is none. */
  readonly start: string | null;
  readonly base: string | null;
}

/** Inserts a version. `checkMergeRequests` computes its summary in the background. */
export async function insertVersion(tx: Transaction, { id, head, start, base }: NewVersionRow): Promise<void> {
  await tx
    .insertInto('merge_request_versions')
    .values({
      merge_request_id: id,
      head_commit_sha: head,
      start_commit_sha: start,
      base_commit_sha: base,
      created_at: tx.now,
    })
    .execute();
}

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

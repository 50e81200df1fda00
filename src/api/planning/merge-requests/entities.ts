import { Type } from 'typebox';
import { Pipeline, PipelineInList } from '#api/code/pipeline-summaries/index.ts';
import { UserBasic, type UserBasicRow } from '#api/identity/users/index.ts';
import { escapeHtml, toHtmlParagraphs } from '#api/namespaces/projects/index.ts';
import type {
  ListedMergeRequest as ListedRow,
  MergeRequest as MergeRequestOfCaller,
  MergeRequestRow,
} from '#authorization/merge-requests.ts';
import { loadHeadPipelines } from '#authorization/pipelines.ts';
import { findMergeRequestsWithOpenThreads } from '#domain/threads.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import {
  findSubscribedIds,
  listLabelsSchema,
  loadAssignedUsers,
  loadIssuableRelations,
  loadListRelations,
  loadProjectPaths,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  type ReferenceContext,
  referencesSchema,
  serializeReferences,
  TimeStats,
  taskCompletionStatusSchema,
} from '../issuables/index.ts';
import { Milestone } from '../milestones/index.ts';
import { loadLiveStatuses } from './merging/live-status.ts';
import {
  DETAILED_STATUSES,
  getDetailedStatus,
  isSquashed,
  isTitleAllowed,
  isTooEarly,
  type MergeSettings,
  toMergeStatus,
} from './merging/mergeability.ts';
import { findActiveRebases } from './rebase.ts';
import { loadMergeSettings } from './store.ts';

const text = Type.String();
const integer = Type.Integer();
const flag = Type.Boolean();
const userOrNull = nullable(UserBasic.schema);

export const mergeRequestState = Type.Enum(['opened', 'closed', 'merged', 'locked']);
export const mergeStatusField = Type.Enum(['unchecked', 'checking', 'can_be_merged', 'cannot_be_merged']);

/** Fields of single and listed merge requests (contract/planning.md §1 "MergeRequest"). */
const fields = {
  id: integer,
  iid: integer,
  project_id: integer,
  title: text,
  description: nullable(text),
  state: mergeRequestState,
  created_at: dateTime,
  updated_at: dateTime,
  merged_by: userOrNull,
  merge_user: userOrNull,
  merged_at: nullable(dateTime),
  closed_by: userOrNull,
  closed_at: nullable(dateTime),
  target_branch: text,
  source_branch: text,
  user_notes_count: integer,
  upvotes: integer,
  downvotes: integer,
  author: UserBasic.schema,
  assignees: Type.Array(UserBasic.schema),
  assignee: userOrNull,
  reviewers: Type.Array(UserBasic.schema),
  source_project_id: integer,
  target_project_id: integer,
  labels: Type.Array(text),
  draft: flag,
  imported: flag,
  imported_from: text,
  work_in_progress: Type.Boolean({ description: 'Deprecated: use `draft`.' }),
  milestone: nullable(Milestone.schema),
  merge_when_pipeline_succeeds: Type.Boolean({ description: 'Whether auto-merge is enabled.' }),
  merge_status: mergeStatusField,
  detailed_merge_status: Type.Enum([...DETAILED_STATUSES], {
    description: 'The first check that is not met, or `mergeable`.',
  }),
  merge_after: nullable(dateTime),
  sha: nullable(Type.String({ description: 'Head of the source branch.' })),
  merge_commit_sha: nullable(text),
  squash_commit_sha: nullable(text),
  discussion_locked: nullable(flag),
  should_remove_source_branch: nullable(
    Type.Boolean({ description: 'The choice that was made with the merge or with auto-merge.' }),
  ),
  force_remove_source_branch: Type.Boolean({ description: 'The choice of the author: `remove_source_branch`.' }),
  prepared_at: dateTime,
  reference: Type.String({ description: 'Deprecated: use `references`.' }),
  references: referencesSchema,
  web_url: text,
  time_stats: TimeStats.schema,
  squash: flag,
  squash_on_merge: Type.Boolean({ description: 'Whether the merge will squash, by `squash` and the project setting.' }),
  task_completion_status: taskCompletionStatusSchema,
  has_conflicts: flag,
  blocking_discussions_resolved: flag,
  approvals_before_merge: Type.Null(),
};

/** Loads the related data of the merge requests to serialize. */
async function loadMergeRequestRelations(rows: readonly ListedRow[], context: SerializationContext) {
  const { db } = context;
  const ids = rows.map(({ id }) => id);
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  const actorIds = rows.flatMap((row) => [row.author_id, row.closed_by_id, row.merged_by_id, row.auto_merge_user_id]);
  const [relations, reviewersById, mergeSettings] = await Promise.all([
    loadIssuableRelations(MERGE_REQUESTS, rows, actorIds, context),
    loadAssignedUsers(db, MERGE_REQUESTS_BY_REVIEWER, ids),
    loadMergeSettings(db, projectIds),
  ]);
  const rowsRequiringPipeline = rows.filter(
    (row) => row.state === 'opened' && requiresPipelineSuccess(mergeSettings, row),
  );
  return {
    ...relations,
    reviewersById,
    mergeSettings,
    headPipelines: await loadHeadPipelines(
      db,
      rowsRequiringPipeline.map(({ id }) => id),
    ),
    idsWithMatchingTitle: await findMatchingTitles(rows, mergeSettings),
    idsWithOpenThreads: await findMergeRequestsWithOpenThreads(
      db,
      rows.filter((row) => requiresResolvedThreads(mergeSettings, row)).map(({ id }) => id),
    ),
  };
}

/** Returns whether the project of the merge request requires a successful pipeline. */
const requiresPipelineSuccess = (mergeSettings: ReadonlyMap<number, MergeSettings>, { project_id }: ListedRow) =>
  requireRow(mergeSettings.get(project_id)).only_allow_merge_if_pipeline_succeeds;

/** Returns whether the project of the merge request requires resolved threads. */
const requiresResolvedThreads = (mergeSettings: ReadonlyMap<number, MergeSettings>, { project_id }: ListedRow) =>
  requireRow(mergeSettings.get(project_id)).only_allow_merge_if_all_discussions_are_resolved;

/** Returns the ids whose titles match the regex of their project. */
async function findMatchingTitles(
  rows: readonly ListedRow[],
  mergeSettings: ReadonlyMap<number, MergeSettings>,
): Promise<ReadonlySet<number>> {
  const idsWithMatchingTitle = new Set<number>();
  const yieldIfDue = createYielder();
  for (const { id, title, project_id } of rows) {
    await yieldIfDue();
    if (isTitleAllowed(title, requireRow(mergeSettings.get(project_id)))) idsWithMatchingTitle.add(id);
  }
  return idsWithMatchingTitle;
}

type MergeRequestRelations = Awaited<ReturnType<typeof loadMergeRequestRelations>>;

/** The fields that are copied from columns of the same names. */
const COPIED_COLUMNS = [
  'id',
  'iid',
  'project_id',
  'title',
  'state',
  'created_at',
  'updated_at',
  'merged_at',
  'closed_at',
  'target_branch',
  'source_branch',
  'user_notes_count',
  'upvotes',
  'downvotes',
  'draft',
  'imported_from',
  'merge_after',
  'merge_commit_sha',
  'squash_commit_sha',
  'discussion_locked',
  'should_remove_source_branch',
  'squash',
] as const;

/** Serializes the fields of single and listed merge requests that are not copied from columns. */
function serializeMergeRequest(
  row: MergeRequestOfCaller,
  context: SerializationContext,
  relations: MergeRequestRelations,
  referenceContext: ReferenceContext,
) {
  const { serializeActor, projectPaths, assigneesById, milestones, labelsById, reviewersById } = relations;
  const projectPath = requireRow(projectPaths.get(row.project_id));
  const serializeActorOrNull = (id: number | null) => (id === null ? null : serializeActor(id));
  const serializeUsers = (users: readonly UserBasicRow[] = []) =>
    users.map((user) => UserBasic.serialize(user, context));
  const assignees = serializeUsers(assigneesById.get(row.id));
  const shortReference = `!${row.iid}`;
  const settings = requireRow(relations.mergeSettings.get(row.project_id));
  return {
    description: row.description,
    merged_by: serializeActorOrNull(row.merged_by_id),
    merge_user: serializeActorOrNull(row.auto_merge_user_id ?? row.merged_by_id),
    closed_by: serializeActorOrNull(row.closed_by_id),
    author: serializeActor(row.author_id),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: serializeUsers(reviewersById.get(row.id)),
    source_project_id: row.project_id,
    target_project_id: row.project_id,
    labels: (labelsById.get(row.id) ?? []).map(({ title }) => title),
    imported: row.imported_from !== 'none',
    work_in_progress: row.draft,
    milestone: milestones.get(row.milestone_id ?? 0) ?? null,
    merge_when_pipeline_succeeds: row.auto_merge_user_id !== null,
    merge_status: row.merge_status,
    detailed_merge_status: getDetailedStatus({
      ...row,
      // Reading `context.now` keeps a response out of the cache, so it is read only if it matters.
      isTooEarly: row.merge_after !== null && isTooEarly(row, context.now),
      titleMatches: relations.idsWithMatchingTitle.has(row.id),
      check: row.merge_check,
      threadsOpen: relations.idsWithOpenThreads.has(row.id),
      pipeline: relations.headPipelines.get(row.id)?.status ?? null,
      settings,
    }),
    sha: row.head_sha,
    force_remove_source_branch: row.force_remove_source_branch ?? false,
    prepared_at: row.created_at,
    reference: shortReference,
    references: serializeReferences(shortReference, projectPath, referenceContext),
    web_url: buildWebUrl(context, projectPath, row),
    time_stats: TimeStats.serialize(row, context),
    squash_on_merge: isSquashed(row.squash, settings),
    task_completion_status: { count: row.task_count, completed_count: row.completed_task_count },
    has_conflicts: row.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: !relations.idsWithOpenThreads.has(row.id),
    approvals_before_merge: null,
  };
}

const buildWebUrl = (
  { url }: SerializationContext,
  { full_path }: { readonly full_path: string },
  { iid }: { readonly iid: number },
) => `${url}/${full_path}/-/merge_requests/${iid}`;

const diffRefs = objectSchema('DiffRefs', { base_sha: nullable(text), head_sha: text, start_sha: nullable(text) });

/** A single merge request. */
export const MergeRequest = entity('MergeRequest', {
  ...fields,
  subscribed: flag,
  changes_count: nullable(
    Type.String({ description: 'Number of changed files; `+` follows if limits cut the changes.' }),
  ),
  latest_build_started_at: nullable(dateTime),
  latest_build_finished_at: nullable(dateTime),
  first_deployed_to_production_at: Type.Null(),
  pipeline: nullable(PipelineInList.schema),
  head_pipeline: nullable(Pipeline.schema),
  diff_refs: diffRefs,
  merge_error: nullable(Type.String({ description: 'Why the last rebase or auto-merge failed.' })),
  first_contribution: flag,
  user: objectSchema('MergeRequestOfCaller', { can_merge: flag }),
  // The following fields are present only if the request asks for them.
  rebase_in_progress: Type.Optional(flag),
  diverged_commits_count: Type.Optional(
    nullable(Type.Integer({ description: 'Number of target branch commits that the source lacks.' })),
  ),
  title_html: Type.Optional(text),
  description_html: Type.Optional(text),
})
  .columns(...COPIED_COLUMNS)
  .from(
    async (rows: readonly MergeRequestOfCaller[], context) => {
      const liveStatuses = await loadLiveStatuses(rows, context);
      return {
        relations: await loadMergeRequestRelations(rows, context),
        subscribedIds: await findSubscribedIds(context.db, MERGE_REQUESTS, context.caller, rows),
        liveStatuses,
        rebasingIds: await findRebasingIds(rows, context),
        headPipelines: await serializeHeadPipelines(
          rows.filter(({ id }) => liveStatuses.get(id)?.mayReadPipelines),
          context,
        ),
      };
    },
    (row, context, { relations, subscribedIds, liveStatuses, rebasingIds, headPipelines }) => {
      const headPipeline = headPipelines.get(row.id);
      const { check, comparison, changesCount, mayMerge, divergedCommits } = requireRow(liveStatuses.get(row.id));
      return {
        ...serializeMergeRequest(
          { ...row, ...(row.state === 'opened' && { merge_check: check, merge_status: toMergeStatus(check) }) },
          context,
          relations,
          'project',
        ),
        subscribed: subscribedIds.has(row.id),
        changes_count: changesCount,
        latest_build_started_at: headPipeline?.row.started_at ?? null,
        latest_build_finished_at: headPipeline?.row.finished_at ?? null,
        first_deployed_to_production_at: null,
        pipeline: headPipeline === undefined ? null : PipelineInList.serialize(headPipeline.row, context),
        head_pipeline: headPipeline?.json ?? null,
        diff_refs: { base_sha: comparison.base, head_sha: comparison.head, start_sha: comparison.start },
        merge_error: row.merge_error,
        first_contribution: false,
        user: { can_merge: mayMerge },
        ...(context.params.include_rebase_in_progress === true && { rebase_in_progress: rebasingIds.has(row.id) }),
        ...(context.params.include_diverged_commits_count === true && { diverged_commits_count: divergedCommits }),
        ...(context.params.render_html === true && {
          title_html: escapeHtml(row.title),
          description_html: toHtmlParagraphs(row.description ?? ''),
        }),
      };
    },
  );

/** Returns the ids with a rebase in progress, if the request asks for it. */
async function findRebasingIds(
  rows: readonly MergeRequestRow[],
  context: SerializationContext,
): Promise<ReadonlySet<number>> {
  if (context.params.include_rebase_in_progress !== true) return new Set();
  return findActiveRebases(
    context.db,
    rows.map(({ id }) => id),
    context.now,
  );
}

/** Returns the head pipelines by merge request id, each as a row and serialized. */
async function serializeHeadPipelines(rows: readonly MergeRequestRow[], context: SerializationContext) {
  const pipelines = await loadHeadPipelines(
    context.db,
    rows.map(({ id }) => id),
  );
  const pipelineJsons = await Pipeline.serializeAll([...pipelines.values()], context);
  const pipelineJsonById = new Map(pipelineJsons.map((json) => [json.id, json]));
  return new Map([...pipelines].map(([id, row]) => [id, { row, json: requireRow(pipelineJsonById.get(row.id)) }]));
}

/** The row of a list item. */
export interface MergeRequestListRow extends ListedRow {
  /** References are relative to the list's project or group. */
  readonly referenceContext: ReferenceContext;
}

/** A merge request in a list. */
export const MergeRequestInList = entity('MergeRequestInList', { ...fields, labels: listLabelsSchema })
  .columns(...COPIED_COLUMNS)
  .from(
    async (rows: readonly MergeRequestListRow[], context) => {
      const loading = loadMergeRequestRelations(rows, context);
      const labels = loading.then(({ labelsById }) => labelsById);
      const [relations, listRelations] = await Promise.all([
        loading,
        loadListRelations(MERGE_REQUESTS, rows, labels, context),
      ]);
      return { relations, listRelations };
    },
    (row, context, { relations, listRelations }) => ({
      ...serializeMergeRequest(
        { ...row, description: listRelations.description(row.id) },
        context,
        relations,
        row.referenceContext,
      ),
      labels: listRelations.labels(row.id),
    }),
  );

const { id, iid, project_id, title, description, state, created_at, updated_at, web_url } = fields;

/** A merge request in a list with `view=simple`. */
const MergeRequestSimple = entity('MergeRequestSimple', {
  id,
  iid,
  project_id,
  title,
  description,
  state,
  created_at,
  updated_at,
  web_url,
})
  .columns('id', 'iid', 'project_id', 'title', 'state', 'created_at', 'updated_at')
  .from(
    async (rows: readonly MergeRequestListRow[], context) => {
      const projectPaths = await loadProjectPaths(
        context.db,
        rows.map((row) => row.project_id),
      );
      return {
        projectPaths: new Map(projectPaths.map((projectPath) => [projectPath.id, projectPath])),
        listRelations: await loadListRelations(MERGE_REQUESTS, rows, Promise.resolve(new Map()), context),
      };
    },
    (row, context, { projectPaths, listRelations }) => ({
      description: listRelations.description(row.id),
      web_url: buildWebUrl(context, requireRow(projectPaths.get(row.project_id)), row),
    }),
  );

/** A merge request in a list, in the requested view. */
export const ListedMergeRequest = variants([MergeRequestInList, MergeRequestSimple], ({ params }) =>
  params.view === 'simple' ? MergeRequestSimple : MergeRequestInList,
);

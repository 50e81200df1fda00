import { Type } from 'typebox';
import { UserBasic } from '#api/identity/users/index.ts';
import type { Issue as IssueRow, ListedIssue } from '#authorization/issues.ts';
import { loadVisibleIssueReferences } from '#authorization/issues.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { type EpicOfIssueRow, loadVisibleEpics } from '../epics/index.ts';
import {
  findSubscribedIds,
  ISSUES,
  listLabelsSchema,
  loadIssuableRelations,
  loadListRelations,
  type ReferenceContext,
  referencesSchema,
  serializeReferences,
  TimeStats,
  taskCompletionStatusSchema,
} from '../issuables/index.ts';
import { Iteration, loadVisibleIterations } from '../iterations/index.ts';
import { Milestone } from '../milestones/index.ts';
import { countClosingMergeRequests } from './listing/closing-counts.ts';

// Entities of an issue (contract/planning.md §1 "Issue").

const text = Type.String();
const integer = Type.Integer();
const flag = Type.Boolean();

const fields = {
  id: integer,
  iid: integer,
  project_id: integer,
  title: text,
  description: nullable(text),
  state: Type.Enum(['opened', 'closed']),
  created_at: dateTime,
  updated_at: dateTime,
  closed_at: nullable(dateTime),
  closed_by: nullable(UserBasic.schema),
  labels: Type.Array(text, { description: 'Titles, sorted.' }),
  milestone: nullable(Milestone.schema),
  assignees: Type.Array(UserBasic.schema),
  author: UserBasic.schema,
  type: Type.Enum(['ISSUE', 'INCIDENT', 'TASK', 'TEST_CASE']),
  assignee: nullable(UserBasic.schema),
  user_notes_count: integer,
  merge_requests_count: Type.Integer({
    description: 'How many merge requests that the caller may read close the issue when they are merged.',
  }),
  upvotes: integer,
  downvotes: integer,
  start_date: nullable(date),
  due_date: nullable(date),
  confidential: flag,
  discussion_locked: nullable(flag),
  issue_type: Type.Enum(['issue', 'incident', 'task', 'test_case']),
  web_url: text,
  time_stats: TimeStats.schema,
  task_completion_status: taskCompletionStatusSchema,
  weight: Type.Optional(nullable(Type.Integer({ description: 'Absent on the free tier.' }))),
  blocking_issues_count: Type.Integer({ description: 'How many open issues this one blocks.' }),
  has_tasks: flag,
  task_status: Type.Optional(
    Type.String({
      description: 'Present if the description has task list items, e.g. `1 of 3 checklist items completed`.',
    }),
  ),
  _links: objectSchema('IssueLinks', {
    self: text,
    notes: text,
    award_emoji: text,
    project: text,
    closed_as_duplicate_of: nullable(text),
  }),
  references: referencesSchema,
  severity: Type.Enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  moved_to_id: nullable(Type.Integer({ description: 'Global ID of the issue to which this one was moved.' })),
  imported: flag,
  imported_from: text,
  service_desk_reply_to: Type.Null({ description: 'Always null: there is no service desk.' }),
  // Epic and iteration are absent on the free tier and in personal projects. They are null if the caller may not read them.
  epic_iid: Type.Optional(nullable(integer)),
  epic: Type.Optional(
    nullable(objectSchema('IssueEpic', { id: integer, iid: integer, title: text, url: text, group_id: integer })),
  ),
  iteration: Type.Optional(nullable(Iteration.schema)),
  health_status: Type.Null({ description: 'Always null: issues have no health status.' }),
};

/** Loads the related data of serialized issues. */
async function loadIssueRelations(issues: readonly ListedIssue[], context: SerializationContext) {
  const { db, caller, tier } = context;
  const ids = issues.map(({ id }) => id);
  const actorIds = issues.flatMap(({ author_id, closed_by_id }) => [author_id, closed_by_id]);
  const [relations, closingCountsByIssueId, iterationsById, duplicatedIssuesById, epicsByIssueId] = await Promise.all([
    loadIssuableRelations(ISSUES, issues, actorIds, context),
    countClosingMergeRequests(db, caller, issues),
    serializeIterations(issues, context),
    loadDuplicatedIssues(issues, context),
    loadVisibleEpics(db, caller, tier === 'free' ? [] : ids),
  ]);
  return { ...relations, closingCountsByIssueId, iterationsById, duplicatedIssuesById, epicsByIssueId };
}

/** Loads, by id, the issues that others duplicate. As in the reference, anonymous callers see none. */
function loadDuplicatedIssues(issues: readonly ListedIssue[], { db, caller }: SerializationContext) {
  const ids = issues.flatMap(({ duplicated_to_id: id }) => (id === null || caller.user === null ? [] : [id]));
  return loadVisibleIssueReferences(db, caller, [...new Set(ids)]);
}

async function serializeIterations(issues: readonly ListedIssue[], context: SerializationContext) {
  const ids = issues.map(({ iteration_id }) => iteration_id);
  const iterations = await Iteration.serializeAll(
    await loadVisibleIterations(context.db, context.caller, ids),
    context,
  );
  return new Map(iterations.map((iteration) => [iteration.id, iteration]));
}

type IssueRelations = Awaited<ReturnType<typeof loadIssueRelations>>;

function serializeIssue(issue: IssueRow, context: SerializationContext, relations: IssueRelations) {
  const { serializeActor, projectPaths, assigneesById, labelsById, milestones, iterationsById, epicsByIssueId } =
    relations;
  const projectPath = requireRow(projectPaths.get(issue.project_id));
  const assignees = (assigneesById.get(issue.id) ?? []).map((user) => UserBasic.serialize(user, context));
  const projectUrl = `${context.url}/api/v4/projects/${issue.project_id}`;
  const issueUrl = `${projectUrl}/issues/${issue.iid}`;
  const duplicatedIssue = relations.duplicatedIssuesById.get(issue.duplicated_to_id ?? 0);
  return {
    id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    title: issue.title,
    description: issue.description,
    state: issue.state,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    closed_by: issue.closed_by_id === null ? null : serializeActor(issue.closed_by_id),
    labels: (labelsById.get(issue.id) ?? []).map(({ title }) => title),
    milestone: milestones.get(issue.milestone_id ?? 0) ?? null,
    assignees,
    author: serializeActor(issue.author_id),
    type: issue.issue_type.toUpperCase() as Uppercase<typeof issue.issue_type>,
    assignee: assignees[0] ?? null,
    user_notes_count: issue.user_notes_count,
    merge_requests_count: relations.closingCountsByIssueId.get(issue.id) ?? 0,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    start_date: issue.start_date,
    due_date: issue.due_date,
    confidential: issue.confidential,
    discussion_locked: issue.discussion_locked,
    issue_type: issue.issue_type,
    web_url: `${context.url}/${projectPath.full_path}/-/issues/${issue.iid}`,
    time_stats: TimeStats.serialize(issue, context),
    task_completion_status: { count: issue.task_count, completed_count: issue.completed_task_count },
    ...(context.tier === 'free' ? {} : { weight: issue.weight }),
    blocking_issues_count: issue.blocking,
    has_tasks: issue.task_count > 0,
    ...serializeTaskStatus(issue),
    _links: {
      self: issueUrl,
      notes: `${issueUrl}/notes`,
      award_emoji: `${issueUrl}/award_emoji`,
      project: projectUrl,
      closed_as_duplicate_of:
        duplicatedIssue === undefined
          ? null
          : `${context.url}/api/v4/projects/${duplicatedIssue.project_id}/issues/${duplicatedIssue.iid}`,
    },
    references: serializeReferences(`#${issue.iid}`, projectPath, 'project'),
    severity: issue.severity.toUpperCase() as Uppercase<typeof issue.severity>,
    moved_to_id: issue.moved_to_id,
    imported: issue.imported_from !== 'none',
    imported_from: issue.imported_from,
    service_desk_reply_to: null,
    ...(context.tier === 'free' || projectPath.kind === 'user'
      ? {}
      : {
          ...serializeEpic(epicsByIssueId.get(issue.id)),
          iteration: iterationsById.get(issue.iteration_id ?? 0) ?? null,
        }),
    health_status: null,
  };
}

/** Serializes the epic; the fields are null if the issue has no epic or the caller may not read the epic. */
function serializeEpic(row: EpicOfIssueRow | undefined) {
  if (row === undefined) return { epic_iid: null, epic: null };
  const { id, iid, title, group_id, full_path } = row;
  return { epic_iid: iid, epic: { id, iid, title, url: `/groups/${full_path}/-/epics/${iid}`, group_id } };
}

function serializeTaskStatus({ task_count: taskCount, completed_task_count: completedCount }: ListedIssue): {
  task_status?: string;
} {
  if (taskCount === 0) return {};
  return { task_status: `${completedCount} of ${taskCount} checklist ${taskCount === 1 ? 'item' : 'items'} completed` };
}

/** A single issue, in responses other than lists. */
export const Issue = entity('Issue', { ...fields, subscribed: flag }).from(
  async (issues: readonly IssueRow[], context) => {
    const [relations, subscribedIds] = await Promise.all([
      loadIssueRelations(issues, context),
      findSubscribedIds(context.db, ISSUES, context.caller, issues),
    ]);
    return { relations, subscribedIds };
  },
  (issue, context, { relations, subscribedIds }) => ({
    ...serializeIssue(issue, context, relations),
    subscribed: subscribedIds.has(issue.id),
  }),
);

/** The row of a list item. */
export interface IssueListRow extends ListedIssue {
  /** The project or group of the list; references are relative to it. */
  readonly referenceContext: ReferenceContext;
}

/** An issue in a list. */
export const IssueInList = entity('IssueInList', { ...fields, labels: listLabelsSchema }).from(
  async (issues: readonly IssueListRow[], context) => {
    const loading = loadIssueRelations(issues, context);
    const labels = loading.then(({ labelsById }) => labelsById);
    const [relations, listRelations] = await Promise.all([loading, loadListRelations(ISSUES, issues, labels, context)]);
    return { relations, listRelations };
  },
  (issue, context, { relations, listRelations }) => ({
    ...serializeIssue({ ...issue, description: listRelations.description(issue.id) }, context, relations),
    references: serializeReferences(
      `#${issue.iid}`,
      requireRow(relations.projectPaths.get(issue.project_id)),
      issue.referenceContext,
    ),
    labels: listRelations.labels(issue.id),
  }),
);

/** Numbers of issues by state, regardless of a `state` filter. */
export const IssuesStatistics = entity('IssuesStatistics', {
  statistics: objectSchema('IssuesStatisticsCounts', {
    counts: objectSchema('IssuesCounts', { all: integer, closed: integer, opened: integer }),
  }),
}).from(({ opened, closed }: { readonly opened: number; readonly closed: number }) => ({
  statistics: { counts: { all: opened + closed, closed, opened } },
}));

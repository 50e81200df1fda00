import { Type } from 'typebox';
import { UserBasic } from '#api/identity/users/index.ts';
import type { Issue as IssueWithCaller, ListedIssue } from '#authorization/issues.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { type EpicOfIssueRow, epicsSeenBy } from '../epics/index.ts';
import {
  besideListed,
  besideThings,
  ISSUES,
  isSubscribedTo,
  labelsInList,
  references,
  referencesTo,
  type SeenFrom,
  TimeStats,
  taskCompletionStatus,
} from '../issuables/index.ts';
import { Iteration, iterationsSeenBy } from '../iterations/index.ts';
import { Milestone } from '../milestones/index.ts';
import { closingCounts } from './listing/closing-counts.ts';

/** The forms of an issue (contract/planning.md §1 "Issue"). */

const text = Type.String();
const count = Type.Integer();
const flag = Type.Boolean();

const fields = {
  id: count,
  iid: count,
  project_id: count,
  title: text,
  description: nullable(text),
  state: Type.Enum(['opened', 'closed']),
  created_at: dateTime,
  updated_at: dateTime,
  closed_at: nullable(dateTime),
  closed_by: nullable(UserBasic.schema),
  labels: Type.Array(text),
  milestone: nullable(Milestone.schema),
  assignees: Type.Array(UserBasic.schema),
  author: UserBasic.schema,
  type: Type.Enum(['ISSUE', 'INCIDENT', 'TASK', 'TEST_CASE']),
  assignee: nullable(UserBasic.schema),
  user_notes_count: count,
  merge_requests_count: count,
  upvotes: count,
  downvotes: count,
  start_date: nullable(date),
  due_date: nullable(date),
  confidential: flag,
  discussion_locked: nullable(flag),
  issue_type: Type.Enum(['issue', 'incident', 'task', 'test_case']),
  web_url: text,
  time_stats: TimeStats.schema,
  task_completion_status: taskCompletionStatus,
  weight: Type.Optional(nullable(count)),
  blocking_issues_count: count,
  has_tasks: flag,
  task_status: Type.Optional(text),
  _links: shape('IssueLinks', {
    self: text,
    notes: text,
    award_emoji: text,
    project: text,
    closed_as_duplicate_of: nullable(text),
  }),
  references,
  severity: Type.Enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  moved_to_id: nullable(count),
  imported: flag,
  imported_from: text,
  service_desk_reply_to: Type.Null(),
  epic_iid: Type.Optional(nullable(count)),
  epic: Type.Optional(nullable(shape('IssueEpic', { id: count, iid: count, title: text, url: text, group_id: count }))),
  iteration: Type.Optional(nullable(Iteration.schema)),
  health_status: Type.Null(),
};

/** What issues need beside their rows, for all of them at once. */
async function beside(issues: readonly ListedIssue[], to: SerializationContext) {
  const people = issues.flatMap(({ author_id, closed_by_id }) => [author_id, closed_by_id]);
  const things = await besideThings(ISSUES, issues, people, to);
  const ids = issues.map(({ id }) => id);
  return {
    ...things,
    closing: await closingCounts(to.db, to.caller, issues),
    iterations: await shownIterations(issues, to),
    epics: await epicsSeenBy(to.db, to.caller, to.tier === 'free' ? [] : ids),
  };
}

async function shownIterations(issues: readonly ListedIssue[], to: SerializationContext) {
  const ids = issues.map(({ iteration_id }) => iteration_id);
  const shapes = await Iteration.serializeAll(await iterationsSeenBy(to.db, to.caller, ids), to);
  return new Map(shapes.map((shown) => [shown.id, shown]));
}

type Beside = Awaited<ReturnType<typeof beside>>;

function issueShape(issue: IssueWithCaller, to: SerializationContext, loaded: Beside) {
  const { user, places, assigned, labelled, milestones, iterations, epics } = loaded;
  const place = stillThere(places.get(issue.project_id));
  const assignees = (assigned.get(issue.id) ?? []).map(({ user_id }) => user(user_id));
  const self = `${to.url}/api/v4/projects/${issue.project_id}`;
  const here = `${self}/issues/${issue.iid}`;
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
    closed_by: issue.closed_by_id === null ? null : user(issue.closed_by_id),
    labels: (labelled.get(issue.id) ?? []).map(({ title }) => title),
    milestone: milestones.get(issue.milestone_id ?? 0) ?? null,
    assignees,
    author: user(issue.author_id),
    type: issue.issue_type.toUpperCase() as Uppercase<typeof issue.issue_type>,
    assignee: assignees[0] ?? null,
    user_notes_count: issue.user_notes_count,
    merge_requests_count: loaded.closing.get(issue.id) ?? 0,
    upvotes: issue.upvotes,
    downvotes: issue.downvotes,
    start_date: issue.start_date,
    due_date: issue.due_date,
    confidential: issue.confidential,
    discussion_locked: issue.discussion_locked,
    issue_type: issue.issue_type,
    web_url: `${to.url}/${place.full_path}/-/issues/${issue.iid}`,
    time_stats: TimeStats.serialize(issue, to),
    task_completion_status: { count: issue.task_count, completed_count: issue.completed_task_count },
    ...(to.tier === 'free' ? {} : { weight: issue.weight }),
    blocking_issues_count: issue.blocking,
    has_tasks: issue.task_count > 0,
    ...taskStatus(issue),
    _links: {
      self: here,
      notes: `${here}/notes`,
      award_emoji: `${here}/award_emoji`,
      project: self,
      closed_as_duplicate_of: null,
    },
    references: referencesTo(`#${issue.iid}`, place, 'project'),
    severity: issue.severity.toUpperCase() as Uppercase<typeof issue.severity>,
    moved_to_id: issue.moved_to_id,
    imported: issue.imported_from !== 'none',
    imported_from: issue.imported_from,
    service_desk_reply_to: null,
    ...(to.tier === 'free' || place.kind === 'user'
      ? {}
      : { ...epicShape(epics.get(issue.id)), iteration: iterations.get(issue.iteration_id ?? 0) ?? null }),
    health_status: null,
  };
}

/** Null also to who may not read it. */
function epicShape(row: EpicOfIssueRow | undefined) {
  if (row === undefined) return { epic_iid: null, epic: null };
  const { id, iid, title, group_id, full_path } = row;
  return { epic_iid: iid, epic: { id, iid, title, url: `/groups/${full_path}/-/epics/${iid}`, group_id } };
}

function taskStatus({ task_count: all, completed_task_count: done }: ListedIssue): { task_status?: string } {
  if (all === 0) return {};
  return { task_status: `${done} of ${all} checklist ${all === 1 ? 'item' : 'items'} completed` };
}

/** One issue, as the caller has read, made or changed it. */
export const Issue = entity('Issue', { ...fields, subscribed: flag }).from(
  async (issues: readonly IssueWithCaller[], to) => ({
    beside: await beside(issues, to),
    subscribed: await isSubscribedTo(to.db, ISSUES, to.caller, issues),
  }),
  (issue, to, { beside: loaded, subscribed }) => ({
    ...issueShape(issue, to, loaded),
    subscribed: subscribed.has(issue.id),
  }),
);

/** An issue of a list. */
export interface IssueListed extends ListedIssue {
  /** Whose list it is in: references are relative to it. */
  readonly seenFrom: SeenFrom;
}

/** An issue among others. */
export const IssueInList = entity('IssueInList', { ...fields, labels: labelsInList }).from(
  async (issues: readonly IssueListed[], to) => {
    const loaded = await beside(issues, to);
    return { loaded, listed: await besideListed(ISSUES, issues, loaded.labelled, to) };
  },
  (issue, to, { loaded, listed }) => ({
    ...issueShape({ ...issue, description: listed.description(issue.id) }, to, loaded),
    references: referencesTo(`#${issue.iid}`, stillThere(loaded.places.get(issue.project_id)), issue.seenFrom),
    labels: listed.labels(issue.id),
  }),
);

/** How many issues there are, whatever the state that is asked for. */
export const IssuesStatistics = entity('IssuesStatistics', {
  statistics: shape('IssuesStatisticsCounts', {
    counts: shape('IssuesCounts', { all: count, closed: count, opened: count }),
  }),
}).from(({ opened, closed }: { readonly opened: number; readonly closed: number }) => ({
  statistics: { counts: { all: opened + closed, closed, opened } },
}));

import { Type } from 'typebox';
import { Pipeline, PipelineListed } from '#api/code/pipeline-summaries/index.ts';
import { UserBasic } from '#api/identity/users/index.ts';
import { escaped, paragraphs } from '#api/namespaces/projects/index.ts';
import type {
  ListedMergeRequest as ListedRow,
  MergeRequest as MergeRequestOfCaller,
  MergeRequestRow,
} from '#authorization/merge-requests.ts';
import { headPipelines } from '#authorization/pipelines.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { withOpenThreads } from '#domain/threads.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import {
  assigneesOf,
  besideListed,
  besideThings,
  isSubscribedTo,
  MERGE_REQUESTS,
  placesOf,
  REVIEWED,
  references,
  referencesTo,
  type SeenFrom,
  TimeStats,
  taskCompletionStatus,
} from '../issuables/index.ts';
import { Milestone } from '../milestones/index.ts';
import { lookInto } from './merging/live-status.ts';
import { mergeSettingsOf } from './merging/merge-settings.ts';
import {
  DETAILED_STATUSES,
  detailedStatus,
  hasWantedTitle,
  type MergeSettings,
  mergeStatus,
  squashes,
} from './merging/mergeability.ts';
import { rebasesUnderWay } from './rebase/store.ts';

/** The forms of a merge request (contract/planning.md §1 "MergeRequest"). */

const text = Type.String();
const count = Type.Integer();
const flag = Type.Boolean();
const person = nullable(UserBasic.schema);

export const mergeRequestState = Type.Enum(['opened', 'closed', 'merged', 'locked']);
export const mergeStatusField = Type.Enum(['unchecked', 'checking', 'can_be_merged', 'cannot_be_merged']);

const fields = {
  id: count,
  iid: count,
  project_id: count,
  title: text,
  description: nullable(text),
  state: mergeRequestState,
  created_at: dateTime,
  updated_at: dateTime,
  merged_by: person,
  merge_user: person,
  merged_at: nullable(dateTime),
  closed_by: person,
  closed_at: nullable(dateTime),
  target_branch: text,
  source_branch: text,
  user_notes_count: count,
  upvotes: count,
  downvotes: count,
  author: UserBasic.schema,
  assignees: Type.Array(UserBasic.schema),
  assignee: person,
  reviewers: Type.Array(UserBasic.schema),
  source_project_id: count,
  target_project_id: count,
  labels: Type.Array(text),
  draft: flag,
  imported: flag,
  imported_from: text,
  work_in_progress: flag,
  milestone: nullable(Milestone.schema),
  merge_when_pipeline_succeeds: flag,
  merge_status: mergeStatusField,
  detailed_merge_status: Type.Enum([...DETAILED_STATUSES]),
  merge_after: Type.Null(),
  sha: nullable(text),
  merge_commit_sha: nullable(text),
  squash_commit_sha: nullable(text),
  discussion_locked: nullable(flag),
  should_remove_source_branch: nullable(flag),
  force_remove_source_branch: flag,
  prepared_at: dateTime,
  reference: text,
  references,
  web_url: text,
  time_stats: TimeStats.schema,
  squash: flag,
  squash_on_merge: flag,
  task_completion_status: taskCompletionStatus,
  has_conflicts: flag,
  blocking_discussions_resolved: flag,
  approvals_before_merge: Type.Null(),
};

/** What merge requests need beside their rows, for all of them at once. */
async function beside(rows: readonly ListedRow[], to: SerializationContext) {
  const { db } = to;
  const ids = rows.map(({ id }) => id);
  const reviewers = await assigneesOf(db, REVIEWED, ids);
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  const people = rows.flatMap((row) => [row.author_id, row.closed_by_id, row.merged_by_id, row.auto_merge_user_id]);
  const named = [...people, ...reviewers.map(({ user_id }) => user_id)];
  const shown = await besideThings(MERGE_REQUESTS, rows, named, to);
  const wants = await mergeSettingsOf(db, projectIds);
  const waiting = rows.filter((row) => row.state === 'opened' && mustSucceed(wants, row));
  return {
    ...shown,
    reviewers: Map.groupBy(reviewers, ({ thing_id }) => thing_id),
    wants,
    pipelines: await headPipelines(
      db,
      waiting.map(({ id }) => id),
    ),
    titled: await withWantedTitles(rows, wants),
    threadsOpen: await withOpenThreads(
      db,
      rows.filter((row) => wantsThreads(wants, row)).map(({ id }) => id),
    ),
  };
}

const mustSucceed = (wants: ReadonlyMap<number, MergeSettings>, { project_id }: ListedRow) =>
  stillThere(wants.get(project_id)).only_allow_merge_if_pipeline_succeeds;

const wantsThreads = (wants: ReadonlyMap<number, MergeSettings>, { project_id }: ListedRow) =>
  stillThere(wants.get(project_id)).only_allow_merge_if_all_discussions_are_resolved;

/** Those whose titles are as their projects want them. */
async function withWantedTitles(
  rows: readonly ListedRow[],
  wants: ReadonlyMap<number, MergeSettings>,
): Promise<ReadonlySet<number>> {
  const titled = new Set<number>();
  const giveWay = givingWay();
  for (const { id, title, project_id } of rows) {
    await giveWay();
    if (hasWantedTitle(title, stillThere(wants.get(project_id)))) titled.add(id);
  }
  return titled;
}

type Beside = Awaited<ReturnType<typeof beside>>;

function mergeRequestShape(row: MergeRequestOfCaller, to: SerializationContext, loaded: Beside, seenFrom: SeenFrom) {
  const { user, places, assigned, milestones, labelled, reviewers } = loaded;
  const place = stillThere(places.get(row.project_id));
  const person = (id: number | null) => (id === null ? null : user(id));
  const assignees = (assigned.get(row.id) ?? []).map(({ user_id }) => user(user_id));
  const short = `!${row.iid}`;
  const wants = stillThere(loaded.wants.get(row.project_id));
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    merged_by: person(row.merged_by_id),
    merge_user: person(row.auto_merge_user_id ?? row.merged_by_id),
    merged_at: row.merged_at,
    closed_by: person(row.closed_by_id),
    closed_at: row.closed_at,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    user_notes_count: row.user_notes_count,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    author: user(row.author_id),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: (reviewers.get(row.id) ?? []).map(({ user_id }) => user(user_id)),
    source_project_id: row.project_id,
    target_project_id: row.project_id,
    labels: (labelled.get(row.id) ?? []).map(({ title }) => title),
    draft: row.draft,
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    work_in_progress: row.draft,
    milestone: milestones.get(row.milestone_id ?? 0) ?? null,
    merge_when_pipeline_succeeds: row.auto_merge_user_id !== null,
    merge_status: row.merge_status,
    detailed_merge_status: detailedStatus({
      ...row,
      titled: loaded.titled.has(row.id),
      check: row.merge_check,
      threadsOpen: loaded.threadsOpen.has(row.id),
      pipeline: loaded.pipelines.get(row.id)?.status ?? null,
      wants,
    }),
    merge_after: null,
    sha: row.head_sha,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    discussion_locked: row.discussion_locked,
    should_remove_source_branch: row.should_remove_source_branch,
    force_remove_source_branch: row.force_remove_source_branch ?? false,
    prepared_at: row.created_at,
    reference: short,
    references: referencesTo(short, place, seenFrom),
    web_url: webUrl(to, place, row),
    time_stats: TimeStats.serialize(row, to),
    squash: row.squash,
    squash_on_merge: squashes(row.squash, wants),
    task_completion_status: { count: row.task_count, completed_count: row.completed_task_count },
    has_conflicts: row.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: !loaded.threadsOpen.has(row.id),
    approvals_before_merge: null,
  };
}

const webUrl = (
  { url }: SerializationContext,
  { full_path }: { readonly full_path: string },
  { iid }: { readonly iid: number },
) => `${url}/${full_path}/-/merge_requests/${iid}`;

const diffRefs = shape('DiffRefs', { base_sha: nullable(text), head_sha: text, start_sha: nullable(text) });

/** One merge request, as the caller has read, made or changed it. */
export const MergeRequest = entity('MergeRequest', {
  ...fields,
  subscribed: flag,
  changes_count: nullable(text),
  latest_build_started_at: nullable(dateTime),
  latest_build_finished_at: nullable(dateTime),
  first_deployed_to_production_at: Type.Null(),
  pipeline: nullable(PipelineListed.schema),
  head_pipeline: nullable(Pipeline.schema),
  diff_refs: diffRefs,
  merge_error: nullable(text),
  first_contribution: flag,
  user: shape('MergeRequestOfCaller', { can_merge: flag }),
  /** What is said on request alone. */
  rebase_in_progress: Type.Optional(flag),
  diverged_commits_count: Type.Optional(nullable(count)),
  title_html: Type.Optional(text),
  description_html: Type.Optional(text),
}).from(
  async (rows: readonly MergeRequestOfCaller[], to) => {
    const lookedInto = await lookInto(rows, to);
    return {
      beside: await beside(rows, to),
      subscribed: await isSubscribedTo(to.db, MERGE_REQUESTS, to.caller, rows),
      lookedInto,
      rebasing: await rebased(rows, to),
      heads: await shownPipelines(
        rows.filter(({ id }) => lookedInto.get(id)?.mayReadPipelines),
        to,
      ),
    };
  },
  (row, to, { beside: loaded, subscribed, lookedInto, rebasing, heads }) => {
    const head = heads.get(row.id);
    const { check, span, size, mayMerge, diverged } = stillThere(lookedInto.get(row.id));
    return {
      ...mergeRequestShape(
        { ...row, ...(row.state === 'opened' && { merge_check: check, merge_status: mergeStatus(check) }) },
        to,
        loaded,
        'project',
      ),
      subscribed: subscribed.has(row.id),
      changes_count: size,
      latest_build_started_at: head?.row.started_at ?? null,
      latest_build_finished_at: head?.row.finished_at ?? null,
      first_deployed_to_production_at: null,
      pipeline: head === undefined ? null : PipelineListed.serialize(head.row, to),
      head_pipeline: head?.shape ?? null,
      diff_refs: { base_sha: span.base, head_sha: span.head, start_sha: span.start },
      merge_error: row.merge_error,
      first_contribution: false,
      user: { can_merge: mayMerge },
      ...(to.params.include_rebase_in_progress === true && { rebase_in_progress: rebasing.has(row.id) }),
      ...(to.params.include_diverged_commits_count === true && { diverged_commits_count: diverged }),
      ...(to.params.render_html === true && {
        title_html: escaped(row.title),
        description_html: paragraphs(row.description ?? ''),
      }),
    };
  },
);

/** Which of them are being rebased at this moment, where anybody asks. */
async function rebased(rows: readonly MergeRequestRow[], to: SerializationContext): Promise<ReadonlySet<number>> {
  if (to.params.include_rebase_in_progress !== true) return new Set();
  return rebasesUnderWay(
    to.db,
    rows.map(({ id }) => id),
    to.now,
  );
}

/** The pipelines of their heads, each as its row and as it is shown whole. */
async function shownPipelines(rows: readonly MergeRequestRow[], to: SerializationContext) {
  const pipelines = await headPipelines(
    to.db,
    rows.map(({ id }) => id),
  );
  const shapes = await Pipeline.serializeAll([...pipelines.values()], to);
  const byId = new Map(shapes.map((shape) => [shape.id, shape]));
  return new Map([...pipelines].map(([id, row]) => [id, { row, shape: stillThere(byId.get(row.id)) }]));
}

/** A merge request of a list. */
export interface MergeRequestListed extends ListedRow {
  /** Whose list it is in: references are relative to it. */
  readonly seenFrom: SeenFrom;
}

/** A merge request among others. */
export const MergeRequestInList = entity('MergeRequestInList', fields).from(
  async (rows: readonly MergeRequestListed[], to) => {
    const loaded = await beside(rows, to);
    return { loaded, listed: await besideListed(MERGE_REQUESTS, rows, loaded.labelled, to) };
  },
  (row, to, { loaded, listed }) =>
    mergeRequestShape({ ...row, description: listed.description(row.id) }, to, loaded, row.seenFrom),
);

const { id, iid, project_id, title, description, state, created_at, updated_at, web_url } = fields;

/** With `view=simple` no more of it than this. */
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
}).from(
  async (rows: readonly MergeRequestListed[], to) => {
    const places = await placesOf(
      to.db,
      rows.map((row) => row.project_id),
    );
    return {
      places: new Map(places.map((place) => [place.id, place])),
      listed: await besideListed(MERGE_REQUESTS, rows, new Map(), to),
    };
  },
  (row, to, { places, listed }) => ({
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: listed.description(row.id),
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    web_url: webUrl(to, stillThere(places.get(row.project_id)), row),
  }),
);

/** A merge request of a list, in the form that is asked for. */
export const ListedMergeRequest = variants([MergeRequestInList, MergeRequestSimple], ({ params }) =>
  params.view === 'simple' ? MergeRequestSimple : MergeRequestInList,
);

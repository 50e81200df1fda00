import { type Expression, type ExpressionBuilder, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { toZeroOrOne } from '#database/dialect.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import { PLANNER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from './abilities.ts';
import { filterProjectReaders } from './readers.ts';
import { projectFeatureVisibleTo } from './visibility.ts';

// Who may see a merge request (contract/planning.md §0 "Seeing things"): anyone who can see its project while merge
// requests are enabled; in a private project members who are at least Planner. The rule is the same for all merge
// requests of a project. It has two forms: for a project (`read_merge_request`), and as a condition for lists.

/** A merge request without its search columns and notification state. */
export type MergeRequestRow = Omit<
  Selectable<Schema['merge_requests']>,
  'title_key' | 'description_key' | 'conflict_notified'
>;

/** A merge request with everything that authorization and entities need. */
export type MergeRequest = MergeRequestRow & {
  /** 1 if the viewer is an assignee. */
  readonly assigned: 0 | 1;
  /** The user who enabled auto-merge; null: nobody. */
  readonly auto_merge_user_id: number | null;
};

/** A merge request in a list, without its description. */
export type ListedMergeRequest = Omit<MergeRequest, 'description'>;

const listedColumns = [
  'merge_requests.id',
  'merge_requests.project_id',
  'merge_requests.iid',
  'merge_requests.title',
  'merge_requests.author_id',
  'merge_requests.state',
  'merge_requests.draft',
  'merge_requests.source_branch',
  'merge_requests.target_branch',
  'merge_requests.head_sha',
  'merge_requests.closed_at',
  'merge_requests.closed_by_id',
  'merge_requests.merged_at',
  'merge_requests.merged_by_id',
  'merge_requests.merge_commit_sha',
  'merge_requests.squash_commit_sha',
  'merge_requests.merged_sha',
  'merge_requests.merge_error',
  'merge_requests.merge_status',
  'merge_requests.merge_check',
  'merge_requests.squash',
  'merge_requests.should_remove_source_branch',
  'merge_requests.force_remove_source_branch',
  'merge_requests.discussion_locked',
  'merge_requests.merge_after',
  'merge_requests.time_estimate',
  'merge_requests.total_time_spent',
  'merge_requests.task_count',
  'merge_requests.completed_task_count',
  'merge_requests.user_notes_count',
  'merge_requests.upvotes',
  'merge_requests.downvotes',
  'merge_requests.milestone_id',
  'merge_requests.imported_from',
  'merge_requests.created_at',
  'merge_requests.updated_at',
] as const;

/** `user`: id of the viewer; 0 for an anonymous one, who has no assignments. */
type MergeRequestViewerParams = { user: number };

function buildListedMergeRequestQuery(db: Reader, value: Params<MergeRequestViewerParams>) {
  return db
    .selectFrom('merge_requests')
    .leftJoin('merge_request_auto_merges as auto', 'auto.merge_request_id', 'merge_requests.id')
    .select(listedColumns)
    .select('auto.user_id as auto_merge_user_id')
    .select((eb) =>
      toZeroOrOne(eb.exists(buildAssignmentQuery(value('user')).select('own_assignee.id'))).as('assigned'),
    );
}

const buildMergeRequestQuery = (db: Reader, value: Params<MergeRequestViewerParams>) =>
  buildListedMergeRequestQuery(db, value).select('merge_requests.description');

// index: merge_request_assignees_by_merge_request
function buildAssignmentQuery(user: Expression<number>) {
  return expressionBuilder<Schema, 'merge_requests'>()
    .selectFrom('merge_request_assignees as own_assignee')
    .whereRef('own_assignee.merge_request_id', '=', 'merge_requests.id')
    .where('own_assignee.user_id', '=', user);
}

// index: merge_requests_by_iid, merge_request_auto_merges primary key
const findMergeRequestRow = prepare((db, value: Params<MergeRequestViewerParams & { project: number; iid: number }>) =>
  buildMergeRequestQuery(db, value as Params<MergeRequestViewerParams>)
    .where('merge_requests.project_id', '=', value('project'))
    .where('merge_requests.iid', '=', value('iid')),
);

// index: merge_requests primary key, merge_request_auto_merges primary key
const loadMergeRequestRows = prepareForIds<MergeRequest, MergeRequestViewerParams>((db, ids, value) =>
  buildMergeRequestQuery(db, value).where('merge_requests.id', 'in', ids),
);

// index: merge_requests primary key, merge_request_auto_merges primary key
const loadListedMergeRequestRows = prepareForIds<ListedMergeRequest, MergeRequestViewerParams>((db, ids, value) =>
  buildListedMergeRequestQuery(db, value).where('merge_requests.id', 'in', ids),
);

/** Returns the merge request with this iid in the project, or null. Does not check visibility. */
export async function findMergeRequest(
  db: Reader,
  caller: Caller,
  projectId: number,
  iid: number,
): Promise<MergeRequest | null> {
  return (await findMergeRequestRow.first(db, { project: projectId, iid, user: caller.user?.id ?? 0 })) ?? null;
}

/** Returns the existing merge requests in the order of `ids`, with one query. */
export async function findMergeRequests(db: Reader, caller: Caller, ids: readonly number[]): Promise<MergeRequest[]> {
  return sortByIds(ids, await loadMergeRequestRows(db, ids, { user: caller.user?.id ?? 0 }));
}

/** Returns the existing merge requests in the order of `ids`, without descriptions, for lists. */
export async function findListedMergeRequests(
  db: Reader,
  caller: Caller,
  ids: readonly number[],
): Promise<ListedMergeRequest[]> {
  return sortByIds(ids, await loadListedMergeRequestRows(db, ids, { user: caller.user?.id ?? 0 }));
}

/** Returns whether the caller is the author or an assignee. */
export function isOwnMergeRequest(
  caller: Caller,
  { author_id, assigned }: Pick<MergeRequest, 'author_id' | 'assigned'>,
): boolean {
  return caller.user !== null && (author_id === caller.user.id || assigned === 1);
}

/** Returns whether the caller, who can see the project, may read its merge requests. */
export function mayReadMergeRequests(caller: Caller, project: Project): boolean {
  return mayInProject(caller, 'read_merge_request', project);
}

/** Returns the users among these who may read the merge requests of the project, in the given order. */
export function filterMergeRequestReaders(db: Reader, project: Project, userIds: readonly number[]): Promise<number[]> {
  return filterProjectReaders(db, project, userIds, mayReadMergeRequests);
}

/** Returns whether the caller may update, close and reopen it: at least a Developer, the author or an assignee. */
export function mayUpdateMergeRequest(caller: Caller, project: Project, mergeRequest: MergeRequest): boolean {
  if (!mayReadMergeRequests(caller, project)) return false;
  if (isOwnMergeRequest(caller, mergeRequest) && mayInProject(caller, 'update_own_merge_request', project)) return true;
  return mayInProject(caller, 'update_merge_request', project);
}

/**
 * Condition on merge requests joined with their projects: the caller may read the merge request. `today`: memberships
 * that end on or before this day do not count.
 */
export function mergeRequestVisibleTo(caller: Caller, today: string) {
  return (_eb: ExpressionBuilder<Schema, 'merge_requests' | 'projects'>): Expression<SqlBool> =>
    projectFeatureVisibleTo(
      'merge_requests_access_level',
      PLANNER,
      caller,
      today,
    )(expressionBuilder<Schema, 'projects'>());
}

import { deleteTargetActivity, type Resource } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { AccessCall } from '#http/access/access.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findMilestone, findMilestoneByTitle, loadMilestonesById } from '../milestones/index.ts';
import type { IssuableTables } from './kind.ts';

/** Returns the entries of `columns` whose value differs from the row. */
export function pickChangedColumns<Row extends object>(row: Row, columns: Partial<Row>): Partial<Row> {
  const changedEntries = Object.entries(columns).filter(([name, value]) => row[name as keyof Row] !== value);
  return Object.fromEntries(changedEntries) as Partial<Row>;
}

/** Returns whether both lists have the same ids, in any order. */
export const isSameSet = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Returns the state columns that the event changes: none without an event, or if the issuable already has that state. */
export function stateColumnsAfter(
  state: string,
  event: 'close' | 'reopen' | null | undefined,
  { now, actor }: { readonly now: string; readonly actor: { readonly user: { readonly id: number } } },
) {
  if (event === 'close' && state === 'opened') {
    return { state: 'closed', closed_at: now, closed_by_id: actor.user.id } as const;
  }
  if (event === 'reopen' && state === 'closed') {
    return { state: 'opened', closed_at: null, closed_by_id: null } as const;
  }
  return {};
}

/** The values of an issuable whose changes are published. */
interface AssociationSnapshot {
  readonly labels: readonly number[];
  readonly milestone_id?: number | null;
  readonly assignees?: readonly number[];
  readonly reviewers?: readonly number[];
  readonly confidential?: boolean;
}

/** Publishes changes of the assignees, reviewers, labels, milestone and confidentiality of an issuable. */
export async function publishIssuableChanges(
  uow: UnitOfWork,
  resource: Resource,
  before: AssociationSnapshot,
  after: AssociationSnapshot,
): Promise<void> {
  const [previousAssignees, currentAssignees] = [before.assignees ?? [], after.assignees ?? []];
  const listAddedIds = (currentIds: readonly number[] = [], previousIds: readonly number[] = []) =>
    currentIds.filter((id) => !previousIds.includes(id));
  const newUsers = {
    assigned: listAddedIds(currentAssignees, previousAssignees),
    reviewers: listAddedIds(after.reviewers, before.reviewers),
  };
  const isMetadataChanged =
    !isSameSet(previousAssignees, currentAssignees) ||
    !isSameSet(before.labels, after.labels) ||
    before.milestone_id !== after.milestone_id;
  if (isMetadataChanged || newUsers.reviewers.length > 0)
    await uow.publish('noteable-updated', { about: resource, ...newUsers, metadata: isMetadataChanged });
  // A removed assignee of a confidential issuable may no longer read it.
  const isNewlyHidden =
    after.confidential === true &&
    (before.confidential === false || listAddedIds(previousAssignees, currentAssignees).length > 0);
  if (isNewlyHidden) await uow.publish('noteable-hidden', resource);
}

/** State and timestamps of an issuable that is imported from another server (contract/operations.md §1.4). */
export interface ImportedState<State extends string> {
  readonly state: State;
  readonly closed_at: string | null;
  /** Null if the user does not exist on this server. */
  readonly closed_by_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Columns that mark a row as imported. */
export const IMPORTED_VALUES = { imported_from: 'gitlab_migration' } as const;

/** Returns the state columns of an issuable that is created at `now`. */
export function newStateColumns(now: string) {
  return { state: 'opened', closed_at: null, closed_by_id: null, created_at: now, updated_at: now } as const;
}

const RESOURCE_TYPES = { issues: 'Issue', merge_requests: 'MergeRequest' } as const satisfies Record<
  IssuableTables['table'],
  string
>;

/**
 * Deletes an issuable with its dependent rows. Fails with `notFound` if the issuable no longer exists, and with `changed` if
 * `onlyIfUnchanged` is set and `updated_at` has changed.
 */
export async function deleteIssuable(
  uow: UnitOfWork,
  tables: IssuableTables,
  { id, updated_at }: { readonly id: number; readonly updated_at: string },
  onlyIfUnchanged: boolean,
): Promise<undefined | Failure<'notFound' | 'changed'>> {
  // Must run before the cascade deletes the notes. A failure rolls this deletion back.
  await deleteTargetActivity(uow, RESOURCE_TYPES[tables.table], [id]);
  // index: issues primary key, merge_requests primary key
  let deletion = uow.deleteFrom(tables.table).where('id', '=', id);
  if (onlyIfUnchanged) deletion = deletion.where('updated_at', '=', updated_at);
  if ((await deletion.returning('id').execute()).length > 0) return;
  const remainingRow = await uow.selectFrom(tables.table).select('id').where('id', '=', id).executeTakeFirst();
  return fail(remainingRow === undefined ? 'notFound' : 'changed');
}

/** Resource: `isRequested` is true if the request has the header `If-Unmodified-Since`. Then only an unchanged row is deleted. */
export const ifUnmodifiedResource = {
  name: 'ifUnmodified',
  load: ({ request }: AccessCall) => ({ isRequested: request.headers['if-unmodified-since'] !== undefined }),
  notFound: genericNotFound,
} as const;

/** Returns the milestone id after the update. Undefined and a milestone out of scope keep the current one; 0 and null clear it. */
export async function resolveMilestone(
  uow: UnitOfWork,
  project: Project,
  currentId: number | null,
  requestedId: number | null | undefined,
): Promise<number | null> {
  if (requestedId === undefined) return currentId;
  if (!requestedId) return null;
  return (await findMilestone(uow, await ancestorsAndSelf(uow, { project }), requestedId))?.id ?? currentId;
}

/** Returns the assignees after the update, as `resolveUsers` does, but only the first one on the free tier. */
export async function resolveAssignees(
  { tier }: UnitOfWork,
  ...args: Parameters<typeof resolveUsers>
): Promise<readonly number[]> {
  const resolvedIds = await resolveUsers(...args);
  return tier === 'free' ? resolvedIds.slice(0, 1) : resolvedIds;
}

/**
 * Returns the assignees or reviewers after the update. `requestedIds` is null if the request does not set them. New users are added
 * only if `filterReaders` returns them. If none of the requested users can be set, the current users stay.
 */
export async function resolveUsers(
  currentIds: readonly number[],
  requestedIds: readonly number[] | null,
  filterReaders: (ids: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (requestedIds === null) return currentIds;
  const newIds = requestedIds.filter((id) => id > 0 && !currentIds.includes(id));
  const readerIds = new Set(await filterReaders(newIds));
  const resolvedIds = [...new Set(requestedIds)].filter((id) => currentIds.includes(id) || readerIds.has(id));
  return resolvedIds.length === 0 && requestedIds.some((id) => id > 0) ? currentIds : resolvedIds;
}

/** Returns the id of the milestone of the project or an ancestor group that has the same title, or null. */
export async function findMilestoneIdWithSameTitle(db: Reader, project: Project, id: number): Promise<number | null> {
  const title = (await loadMilestonesById(db, [id])).get(id)?.title ?? '';
  return (await findMilestoneByTitle(db, await ancestorsAndSelf(db, { project }), title))?.id ?? null;
}

import {
  assigneesChangedText,
  DESCRIPTION_CHANGED_TEXT,
  lockChangedText,
  type NoteableName,
  type SystemNoteText,
  titleChangedText,
} from '#activity/index.ts';
import { loadUsersById } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { MergeRequestState } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Types whose changes are recorded: as activity events, as events of state and milestone, and as system notes for other columns. */
type TrackedType = 'Issue' | 'MergeRequest';

/** The columns that activity and resource events need. */
interface TrackedIssuable {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly state: MergeRequestState;
  readonly milestone_id: number | null;
}

/** The state of an issuable at one time, with the ids of its assignees and reviewers. */
interface IssuableSnapshot extends TrackedIssuable {
  readonly title: string;
  readonly description: string | null;
  readonly discussion_locked: boolean | null;
  readonly assignees: readonly number[];
  readonly reviewers?: readonly number[];
}

const NAMES = { Issue: 'issue', MergeRequest: 'merge request' } as const satisfies Record<TrackedType, NoteableName>;

/** Records the activity event of a new issuable, and its milestone. */
export async function recordIssuableCreated(
  uow: UnitOfWork<SignedInCaller>,
  type: TrackedType,
  issuable: TrackedIssuable,
): Promise<void> {
  await uow.record({ ...toActivityEvent(uow, type, issuable), action: 'created' });
  await recordMilestoneChange(uow, type, null, issuable);
}

/**
 * Records all differences between an issuable before and after an update. `extraTexts` are the system notes for columns that only
 * this type has.
 */
export async function recordIssuableChanges(
  uow: UnitOfWork<SignedInCaller>,
  type: TrackedType,
  before: IssuableSnapshot,
  after: IssuableSnapshot,
  extraTexts: readonly SystemNoteText[] = [],
): Promise<void> {
  const texts = await listSystemNoteTexts(uow, type, before, after, extraTexts);
  for (const text of texts) await uow.record({ noteOn: { type, id: after.id }, text });
  await recordMilestoneChange(uow, type, before.milestone_id, after);
  if (before.state !== after.state) await recordStateChange(uow, type, after);
  await publishReassignments(uow, type, before, after);
}

const REASSIGN_EVENTS = { Issue: 'reassign_issue', MergeRequest: 'reassign_merge_request' } as const;

/** Publishes changes of assignees and reviewers for notification emails. */
async function publishReassignments(
  uow: UnitOfWork,
  type: TrackedType,
  before: IssuableSnapshot,
  after: IssuableSnapshot,
): Promise<void> {
  const target = { type, id: after.id };
  const formerAssignees = findRemovedIds(before.assignees, after.assignees);
  if (formerAssignees !== null)
    await uow.publish('notifiable-event-occurred', {
      event: REASSIGN_EVENTS[type],
      about: target,
      former: formerAssignees,
    });
  const formerReviewers =
    before.reviewers && after.reviewers ? findRemovedIds(before.reviewers, after.reviewers) : null;
  if (formerReviewers !== null)
    await uow.publish('notifiable-event-occurred', {
      event: 'change_reviewer_merge_request',
      about: target,
      former: formerReviewers,
    });
}

/** Returns the removed ids, or null if the set is unchanged. */
function findRemovedIds(before: readonly number[], after: readonly number[]): readonly number[] | null {
  const removedIds = before.filter((id) => !after.includes(id));
  return removedIds.length === 0 && after.every((id) => before.includes(id)) ? null : removedIds;
}

/** Records that an issuable was closed or reopened. */
export async function recordStateChange(
  uow: UnitOfWork<SignedInCaller>,
  type: TrackedType,
  issuable: TrackedIssuable,
): Promise<void> {
  const { id, state } = issuable;
  await uow.record({ stateOf: { type, id }, state });
  await uow.record({ ...toActivityEvent(uow, type, issuable), action: state === 'closed' ? 'closed' : 'reopened' });
}

function toActivityEvent(
  uow: UnitOfWork<SignedInCaller>,
  type: TrackedType,
  { project_id: projectId, id, iid }: TrackedIssuable,
) {
  return { projectId, authorId: uow.actor.user.id, target: { type, id, iid } } as const;
}

async function recordMilestoneChange(
  uow: UnitOfWork,
  type: TrackedType,
  milestoneBefore: number | null,
  issuable: TrackedIssuable,
): Promise<void> {
  const { id, milestone_id: milestoneAfter, state } = issuable;
  const milestoneId = milestoneAfter ?? milestoneBefore;
  if (milestoneBefore === milestoneAfter || milestoneId === null) return;
  await uow.record({
    milestoneOf: { type, id },
    milestoneId,
    change: milestoneAfter === null ? 'remove' : 'add',
    state,
  });
}

async function listSystemNoteTexts(
  uow: UnitOfWork,
  type: TrackedType,
  before: IssuableSnapshot,
  after: IssuableSnapshot,
  extraTexts: readonly SystemNoteText[],
): Promise<SystemNoteText[]> {
  const texts: SystemNoteText[] = [];
  if (before.title !== after.title) texts.push(titleChangedText(before.title, after.title));
  if (before.description !== after.description) texts.push(DESCRIPTION_CHANGED_TEXT);
  texts.push(...extraTexts);
  // Null and false both mean unlocked.
  const locked = after.discussion_locked === true;
  if ((before.discussion_locked === true) !== locked) texts.push(lockChangedText(NAMES[type], locked));
  return [...texts, ...(await listAssigneeNoteTexts(uow, before, after))];
}

async function listAssigneeNoteTexts(
  uow: UnitOfWork,
  { assignees: before }: IssuableSnapshot,
  { assignees: after }: IssuableSnapshot,
) {
  const addedIds = after.filter((id) => !before.includes(id));
  const removedIds = before.filter((id) => !after.includes(id));
  if (addedIds.length + removedIds.length === 0) return [];
  const usersById = await loadUsersById(uow, [...addedIds, ...removedIds]);
  const toUsernames = (ids: readonly number[]) => ids.flatMap((id) => usersById.get(id)?.username ?? []);
  return [assigneesChangedText(toUsernames(addedIds), toUsernames(removedIds))];
}

import {
  assigneesChanged,
  DESCRIPTION_CHANGED,
  lockChanged,
  type SystemText,
  type ThingName,
  titleChanged,
} from '#activity/index.ts';
import { usersById } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { MergeRequestState } from '#database/tables/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/**
 * What is written of changes of issues and merge requests: activity, the histories of state and milestone, and notes of all
 * else.
 */

type Type = 'Issue' | 'MergeRequest';

/** A thing as its histories tell of it. */
export interface Told {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly state: MergeRequestState;
  readonly milestone_id: number | null;
}

/** A thing at one moment, with the ids of its assignees and, where it has any, reviewers. */
export interface Moment extends Told {
  readonly title: string;
  readonly description: string | null;
  readonly discussion_locked: boolean | null;
  readonly assignees: readonly number[];
  readonly reviewers?: readonly number[];
}

const NAMES = { Issue: 'issue', MergeRequest: 'merge request' } as const satisfies Record<Type, ThingName>;

export async function recordNewThing(uow: UnitOfWork<SignedInCaller>, type: Type, thing: Told): Promise<void> {
  await uow.record({ ...activityOf(uow, type, thing), action: 'created' });
  await recordMilestone(uow, type, null, thing);
}

/** All that differs between two moments; `ownTexts` are of what only such things have. */
export async function recordChangedThing(
  uow: UnitOfWork<SignedInCaller>,
  type: Type,
  before: Moment,
  after: Moment,
  ownTexts: readonly SystemText[] = [],
): Promise<void> {
  const texts = await textsOf(uow, type, before, after, ownTexts);
  for (const text of texts) await uow.record({ noteOn: { type, id: after.id }, text });
  await recordMilestone(uow, type, before.milestone_id, after);
  if (before.state !== after.state) await recordState(uow, type, after);
  await tellOfPeople(uow, type, before, after);
}

const REASSIGNED = { Issue: 'reassign_issue', MergeRequest: 'reassign_merge_request' } as const;

/** Who has it now or is asked to review it, and who was before, may be told of that by mail. */
async function tellOfPeople(uow: UnitOfWork, type: Type, before: Moment, after: Moment): Promise<void> {
  const about = { type, id: after.id };
  const given = goneFrom(before.assignees, after.assignees);
  if (given !== null) await uow.publish('occurred', { event: REASSIGNED[type], about, former: given });
  const asked = before.reviewers && after.reviewers ? goneFrom(before.reviewers, after.reviewers) : null;
  if (asked !== null) await uow.publish('occurred', { event: 'change_reviewer_merge_request', about, former: asked });
}

/** Who is no longer there; null: nobody has come or gone. */
function goneFrom(before: readonly number[], after: readonly number[]): readonly number[] | null {
  const gone = before.filter((id) => !after.includes(id));
  return gone.length === 0 && after.every((id) => before.includes(id)) ? null : gone;
}

/** It has been closed or opened again. */
export async function recordState(uow: UnitOfWork<SignedInCaller>, type: Type, thing: Told): Promise<void> {
  const { id, state } = thing;
  await uow.record({ stateOf: { type, id }, state });
  await uow.record({ ...activityOf(uow, type, thing), action: state === 'closed' ? 'closed' : 'reopened' });
}

function activityOf(uow: UnitOfWork<SignedInCaller>, type: Type, { project_id: projectId, id, iid }: Told) {
  return { projectId, authorId: uow.actor.user.id, target: { type, id, iid } } as const;
}

async function recordMilestone(uow: UnitOfWork, type: Type, before: number | null, thing: Told): Promise<void> {
  const { id, milestone_id: now, state } = thing;
  const milestoneId = now ?? before;
  if (before === now || milestoneId === null) return;
  await uow.record({ milestoneOf: { type, id }, milestoneId, change: now === null ? 'remove' : 'add', state });
}

async function textsOf(
  uow: UnitOfWork,
  type: Type,
  before: Moment,
  after: Moment,
  ownTexts: readonly SystemText[],
): Promise<SystemText[]> {
  const texts: SystemText[] = [];
  if (before.title !== after.title) texts.push(titleChanged(before.title, after.title));
  if (before.description !== after.description) texts.push(DESCRIPTION_CHANGED);
  texts.push(...ownTexts);
  // Who has never locked it unlocks nothing.
  const locked = after.discussion_locked === true;
  if ((before.discussion_locked === true) !== locked) texts.push(lockChanged(NAMES[type], locked));
  return [...texts, ...(await assignmentsOf(uow, before, after))];
}

async function assignmentsOf(uow: UnitOfWork, { assignees: before }: Moment, { assignees: after }: Moment) {
  const come = after.filter((id) => !before.includes(id));
  const gone = before.filter((id) => !after.includes(id));
  if (come.length + gone.length === 0) return [];
  const users = await usersById(uow, [...come, ...gone]);
  const names = (ids: readonly number[]) => ids.flatMap((id) => users.get(id)?.username ?? []);
  return [assigneesChanged(names(come), names(gone))];
}

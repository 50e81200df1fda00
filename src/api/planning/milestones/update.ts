import type { SignedInCaller } from '#authentication/caller.ts';
import { type GroupOrProject, selfOnly } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordMilestoneEvent } from './activity.ts';
import { findMilestone, type MilestoneContent, type MilestoneRow, updateMilestoneRow } from './store.ts';
import { findMilestoneFailure } from './validation.ts';

/** Changes to a milestone. Null clears an optional attribute; undefined keeps it. */
export type UpdateMilestoneInput = {
  readonly [Name in keyof MilestoneContent]?: MilestoneContent[Name] | null | undefined;
} & { readonly state_event?: 'close' | 'activate' | null | undefined };

const STATES = { close: 'closed', activate: 'active' } as const;

/** Updates a milestone of this project or group itself. Closing a closed one records no activity. */
export async function updateMilestone(
  uow: UnitOfWork<SignedInCaller>,
  parent: GroupOrProject,
  milestoneId: number,
  { state_event: event, ...changes }: UpdateMilestoneInput,
): Promise<MilestoneRow | Failure<'notFound' | 'notSaved'>> {
  const milestone = await findMilestone(uow, selfOnly(parent), milestoneId);
  if (milestone === null) return fail('notFound');
  const getMergedValue = <Name extends keyof MilestoneContent>(name: Name) =>
    changes[name] === undefined ? milestone[name] : changes[name];
  const content = {
    title: (getMergedValue('title') ?? '').trim(),
    description: getMergedValue('description'),
    start_date: getMergedValue('start_date'),
    due_date: getMergedValue('due_date'),
  };
  const failure = await findMilestoneFailure(uow, parent, content, milestone);
  if (failure !== null) return failure;
  const state = event ? STATES[event] : milestone.state;
  if (state === milestone.state && isUnchanged(milestone, content)) return milestone;
  const updatedMilestone = await updateMilestoneRow(uow, milestoneId, { ...content, state });
  if (state !== milestone.state)
    await recordMilestoneEvent(uow, updatedMilestone, state === 'closed' ? 'closed' : 'reopened');
  return updatedMilestone;
}

/** Returns whether nothing would change; then `updated_at` is kept. */
const isUnchanged = (milestone: MilestoneContent, content: MilestoneContent) =>
  (Object.keys(content) as (keyof MilestoneContent)[]).every((name) => content[name] === milestone[name]);

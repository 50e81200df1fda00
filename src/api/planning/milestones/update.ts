import type { SignedInCaller } from '#authentication/caller.ts';
import { ownReach, type Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordMilestone } from './activity.ts';
import { findMilestone, type MilestoneContent, type MilestoneRow, updateMilestone } from './store.ts';
import { contentFailure } from './validation.ts';

/** What was sent of a milestone; null takes away what can be absent. */
export type MilestoneChange = {
  readonly [Name in keyof MilestoneContent]?: MilestoneContent[Name] | null | undefined;
} & { readonly state_event?: 'close' | 'activate' | null | undefined };

const STATES = { close: 'closed', activate: 'active' } as const;

/** Changes a milestone of this project or group, not one of a group above; closing a closed one tells nothing. */
export async function changeMilestone(
  uow: UnitOfWork<SignedInCaller>,
  place: Place,
  milestoneId: number,
  { state_event: event, ...change }: MilestoneChange,
): Promise<MilestoneRow | Failure<'notFound' | 'notSaved'>> {
  const milestone = await findMilestone(uow, ownReach(place), milestoneId);
  if (milestone === null) return fail('notFound');
  const kept = <Name extends keyof MilestoneContent>(name: Name) =>
    change[name] === undefined ? milestone[name] : change[name];
  const content = {
    title: (kept('title') ?? '').trim(),
    description: kept('description'),
    start_date: kept('start_date'),
    due_date: kept('due_date'),
  };
  const refusal = await contentFailure(uow, place, content, milestone);
  if (refusal !== null) return refusal;
  const state = event ? STATES[event] : milestone.state;
  if (state === milestone.state && isSaid(milestone, content)) return milestone;
  const changed = await updateMilestone(uow, milestoneId, { ...content, state });
  if (state !== milestone.state) await recordMilestone(uow, changed, state === 'closed' ? 'closed' : 'reopened');
  return changed;
}

/** What says of itself what it is to say already stays as old as it is. */
const isSaid = (milestone: MilestoneContent, content: MilestoneContent) =>
  (Object.keys(content) as (keyof MilestoneContent)[]).every((name) => content[name] === milestone[name]);

import type { Resource } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { sameSet } from './changes.ts';

/** What others hear of when it changes. */
interface Moment {
  readonly labels: readonly number[];
  readonly milestone_id?: number | null;
  readonly assignees?: readonly number[];
  readonly reviewers?: readonly number[];
  readonly confidential?: boolean;
}

/** Tells other families which people, labels and milestone a thing has after a change, if these are others. */
export async function tellChanged(uow: UnitOfWork, about: Resource, before: Moment, after: Moment): Promise<void> {
  const [was, is] = [before.assignees ?? [], after.assignees ?? []];
  const come = (now: readonly number[] = [], had: readonly number[] = []) => now.filter((id) => !had.includes(id));
  const people = { assigned: come(is, was), reviewers: come(after.reviewers, before.reviewers) };
  const metadata =
    !sameSet(was, is) || !sameSet(before.labels, after.labels) || before.milestone_id !== after.milestone_id;
  if (metadata || people.reviewers.length > 0) await uow.publish('thing-changed', { about, ...people, metadata });
  const hidden = after.confidential === true && (before.confidential === false || come(was, is).length > 0);
  if (hidden) await uow.publish('thing-hidden', about);
}

import type { Resource } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isSameSet } from './changes.ts';

/** Associations whose changes are published. */
interface AssociationSnapshot {
  readonly labels: readonly number[];
  readonly milestone_id?: number | null;
  readonly assignees?: readonly number[];
  readonly reviewers?: readonly number[];
  readonly confidential?: boolean;
}

/** Publishes changes of the people, labels, milestone and confidentiality of an issuable. */
export async function publishChanges(
  uow: UnitOfWork,
  about: Resource,
  before: AssociationSnapshot,
  after: AssociationSnapshot,
): Promise<void> {
  const [was, is] = [before.assignees ?? [], after.assignees ?? []];
  const addedIds = (now: readonly number[] = [], had: readonly number[] = []) => now.filter((id) => !had.includes(id));
  const people = { assigned: addedIds(is, was), reviewers: addedIds(after.reviewers, before.reviewers) };
  const metadata =
    !isSameSet(was, is) || !isSameSet(before.labels, after.labels) || before.milestone_id !== after.milestone_id;
  if (metadata || people.reviewers.length > 0) await uow.publish('noteable-updated', { about, ...people, metadata });
  const hidden = after.confidential === true && (before.confidential === false || addedIds(was, is).length > 0);
  if (hidden) await uow.publish('noteable-hidden', about);
}

import type { Resource } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isSameSet } from './changes.ts';

/** Values whose changes are published. */
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

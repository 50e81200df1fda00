import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import { type GroupOrProject, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import {
  type ImportedMilestoneState,
  insertMilestone,
  isMilestoneIidTaken,
  type MilestoneContent,
  type MilestoneRow,
} from './store.ts';
import { validateMilestone } from './validation.ts';

/** A milestone exported from another server. */
export interface ImportedMilestone extends MilestoneContent, ImportedMilestoneState {
  readonly iid: number;
}

/** Creates a milestone from another server with its original iid; records no activity (contract/operations.md §1.4). */
export async function importMilestone(
  uow: UnitOfWork,
  parent: GroupOrProject,
  { iid, state, created_at, updated_at, ...input }: ImportedMilestone,
): Promise<MilestoneRow | Failure<'invalid'>> {
  const content = { ...input, title: input.title.trim() };
  const errors = await validateMilestone(uow, parent, content);
  if (errors !== null) return invalid(errors);
  if (await isMilestoneIidTaken(uow, parent, iid)) return IID_TAKEN;
  const { project, group } = parent;
  await reserveIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone', iid);
  return insertMilestone(uow, toNamespaceOwnerColumns(parent), iid, content, { state, created_at, updated_at });
}

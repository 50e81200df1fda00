import { type Epic, findEpic, findEpics, findReadableEpic } from '#authorization/epics.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  addIssueToEpic,
  type IssueInProject,
  isEpicArchived,
  loadEpicIssueAssociations,
  removeIssueFromEpic,
} from '../epics/index.ts';

/** The epic in a request for an issue (contract/planning.md §3.6). */
interface EpicInput {
  readonly epic_id?: number | null | undefined;
  readonly epic_iid?: number | null | undefined;
}

/**
 * Returns the requested epic. `epic_id` names one of an ancestor group of the project, `epic_iid` one of the parent group. Null means
 * that the epic is removed. Undefined means that the epic stays: the request sets none, or the project is personal.
 */
export async function resolveEpic(
  uow: UnitOfWork,
  project: Project,
  { epic_id, epic_iid }: EpicInput,
): Promise<Epic | null | undefined | Failure<'epicNotFound' | 'epicUnreadable'>> {
  const requestedEpicId = epic_id === undefined ? epic_iid : epic_id;
  if (project.namespace_kind !== 'group' || requestedEpicId === undefined) return undefined;
  if (!requestedEpicId) return uow.tier === 'free' ? undefined : null;
  if (uow.tier === 'free') return fail('epicNotFound');
  const [epic] = epic_id
    ? await findEpics(uow, [epic_id])
    : [await findEpic(uow, project.namespace_id, requestedEpicId)];
  const ancestorIds = (await ancestorsAndSelf(uow, { project })).groupIds;
  if (!epic || !ancestorIds.includes(epic.group_id)) return fail('epicNotFound');
  return (await findReadableEpic(uow, uow.actor, epic.id)) ? epic : fail('epicUnreadable');
}

/**
 * Returns the validation errors of an issue that will not be confidential: its epic must not be confidential either. `newEpic` is the
 * result of `resolveEpic`.
 */
export async function validatePublicIssue(
  uow: UnitOfWork,
  issue: { readonly id: number; readonly confidential: boolean },
  newEpic: Epic | null | undefined,
): Promise<string[]> {
  if (newEpic?.confidential) return ['this issue cannot be assigned to a confidential epic since it is public'];
  if (newEpic !== undefined || !issue.confidential) return [];
  const [association] = await loadEpicIssueAssociations(uow, [issue.id]);
  const [epic] = association === undefined ? [] : await findEpics(uow, [association.epic_id]);
  return epic?.confidential ? ['this issue cannot be made public since it belongs to a confidential epic'] : [];
}

/** Returns the epic for an imported issue, or null if the issue may not be in the epic. */
export async function findEpicForImport(
  uow: UnitOfWork,
  project: Project,
  { confidential }: { readonly confidential: boolean },
  epicId: number,
): Promise<Epic | null> {
  if (project.namespace_kind !== 'group' || uow.tier === 'free') return null;
  const [epic] = await findEpics(uow, [epicId]);
  if (epic === undefined || (epic.confidential && !confidential)) return null;
  return (await ancestorsAndSelf(uow, { project })).groupIds.includes(epic.group_id) ? epic : null;
}

/**
 * Adds the issue to the epic; null removes it from its epic, undefined keeps it. Returns whether anything changed. Fails if the
 * current epic is in an archived group.
 */
export async function updateEpicAssociation(
  uow: UnitOfWork,
  child: IssueInProject,
  epic: Epic | null | undefined,
): Promise<boolean | Failure<'archived'>> {
  if (epic === undefined) return false;
  if (epic !== null) {
    const addResult = await addIssueToEpic(uow, epic, child);
    if (!isFailure(addResult)) return true;
    return addResult.code === 'archived' ? fail('archived') : false;
  }
  const [association] = await loadEpicIssueAssociations(uow, [child.issue.id]);
  if (association === undefined) return false;
  return (await isEpicArchived(uow, association)) ? fail('archived') : removeIssueFromEpic(uow, association, child);
}

import { type Epic, findEpic, findEpics, readableEpic } from '#authorization/epics.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { associationsOf, type IssueInProject, isInArchived, relate, unrelate } from '../epics/index.ts';

/** The epic that an issue shall be in (contract/planning.md §3.6). */

interface Sent {
  readonly epic_id?: number | null | undefined;
  readonly epic_iid?: number | null | undefined;
}

/**
 * The epic that is meant, of the groups above the project (by `epic_iid` of its own group); null for none at all, undefined
 * where nothing was sent that counts: in personal projects nobody asks.
 */
export async function wishedEpic(
  uow: UnitOfWork,
  project: Project,
  { epic_id, epic_iid }: Sent,
): Promise<Epic | null | undefined | Failure<'noEpic' | 'epicUnreadable'>> {
  const sent = epic_id === undefined ? epic_iid : epic_id;
  if (project.namespace_kind !== 'group' || sent === undefined) return undefined;
  if (!sent) return uow.tier === 'free' ? undefined : null;
  if (uow.tier === 'free') return fail('noEpic');
  const [epic] = epic_id ? await findEpics(uow, [epic_id]) : [await findEpic(uow, project.namespace_id, sent)];
  const above = (await reachOf(uow, { project })).groupIds;
  if (!epic || !above.includes(epic.group_id)) return fail('noEpic');
  return (await readableEpic(uow, uow.actor, epic.id)) ? epic : fail('epicUnreadable');
}

/**
 * What is wrong with making an issue public, or leaving it so, in the epic that it is in or shall be in; undefined: that
 * stays as it is.
 */
export async function publicErrors(
  uow: UnitOfWork,
  before: { readonly id: number; readonly confidential: boolean },
  wished: Epic | null | undefined,
): Promise<string[]> {
  if (wished?.confidential) return ['this issue cannot be assigned to a confidential epic since it is public'];
  if (wished !== undefined || !before.confidential) return [];
  const [association] = await associationsOf(uow, [before.id]);
  const [epic] = association === undefined ? [] : await findEpics(uow, [association.epic_id]);
  return epic?.confidential ? ['this issue cannot be made public since it belongs to a confidential epic'] : [];
}

/** The epic of an issue that comes from another server; null where no issue filed here could be in it: it comes without one then. */
export async function epicForImported(
  uow: UnitOfWork,
  project: Project,
  { confidential }: { readonly confidential: boolean },
  epicId: number,
): Promise<Epic | null> {
  if (project.namespace_kind !== 'group' || uow.tier === 'free') return null;
  const [epic] = await findEpics(uow, [epicId]);
  if (epic === undefined || (epic.confidential && !confidential)) return null;
  return (await reachOf(uow, { project })).groupIds.includes(epic.group_id) ? epic : null;
}

/** Puts it there, or takes it out; whether that changes anything. Failure when it is in an epic of an archived group. */
export async function moveToEpic(
  uow: UnitOfWork,
  child: IssueInProject,
  wished: Epic | null | undefined,
): Promise<boolean | Failure<'archived'>> {
  if (wished === undefined) return false;
  if (wished !== null) {
    const related = await relate(uow, wished, child);
    if (!isFailure(related)) return true;
    return related.code === 'archived' ? fail('archived') : false;
  }
  const [association] = await associationsOf(uow, [child.issue.id]);
  if (association === undefined) return false;
  return (await isInArchived(uow, association)) ? fail('archived') : unrelate(uow, association, child);
}

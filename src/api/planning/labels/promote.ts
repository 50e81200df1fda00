import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownerOf, ownReach } from '#domain/namespaces/scope.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mergeLabels, mergeSome } from './merge.ts';
import { findLabel, findLabelTitled, insertLabels, type LabelRow } from './store.ts';

/**
 * Makes a project's label one of its group: the group's of that title, if there is none yet a new one, becomes of all below the
 * group what they were. Nothing tells of it. What is too much for one act the queue does.
 */
export async function promoteLabel(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  labelId: number,
): Promise<LabelRow | Failure<'notFound'>> {
  const label = await findLabel(uow, ownReach({ project }), labelId);
  if (label === null) return fail('notFound');
  const ofGroup = ownReach({ group });
  if ((await findLabelTitled(uow, ofGroup, label.title)) === null) {
    await insertLabels(uow, ownerOf({ group }), [label]);
  }
  const made = stillThere((await findLabelTitled(uow, ofGroup, label.title)) ?? undefined);
  const more = await mergeSome(uow, { ...made, group_id: group.id });
  if (more === MORE) await enqueue(uow, mergeLabels, { labelId: made.id });
  return made;
}

import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownerOf, ownReach } from '#domain/namespaces/scope.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { MORE } from '#events/batches.ts';
import type { Act } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { mergeLabels, mergeSome } from './merge.ts';
import { findLabel, findLabelTitled, insertLabels, type LabelRow } from './store.ts';

/**
 * Makes a project's label one of its group: the group's of that title, if there is none yet a new one, becomes of all below the
 * group what they were. Nothing tells of it. What is too much for one act the queue does.
 */
export async function promoteLabel(
  act: Act,
  { project, group }: { readonly project: Project; readonly group: Group },
  labelId: number,
): Promise<LabelRow | Failure<'missing'>> {
  const label = await findLabel(act, ownReach({ project }), labelId);
  if (label === null) return refused('missing');
  const ofGroup = ownReach({ group });
  if ((await findLabelTitled(act, ofGroup, label.title)) === null) {
    await insertLabels(act, ownerOf({ group }), [label]);
  }
  const made = stillThere((await findLabelTitled(act, ofGroup, label.title)) ?? undefined);
  const more = await mergeSome(act, { ...made, group_id: group.id });
  if (more === MORE) await enqueue(act, mergeLabels, { labelId: made.id });
  return made;
}

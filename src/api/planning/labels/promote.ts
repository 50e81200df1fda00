import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { selfOnly, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mergeLabelBatch, mergeLabels } from './merge.ts';
import { findLabel, findLabelByTitle, insertLabels, type LabelRow } from './store.ts';

/**
 * Promotes a project label to a group label and merges all labels of that title below the group into it. Records no activity.
 * A background job continues what is too large for one transaction.
 */
export async function promoteLabel(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  labelId: number,
): Promise<LabelRow | Failure<'notFound'>> {
  const label = await findLabel(uow, selfOnly({ project }), labelId);
  if (label === null) return fail('notFound');
  const groupScope = selfOnly({ group });
  if ((await findLabelByTitle(uow, groupScope, label.title)) === null) {
    await insertLabels(uow, toNamespaceOwnerColumns({ group }), [label]);
  }
  const groupLabel = requireRow((await findLabelByTitle(uow, groupScope, label.title)) ?? undefined);
  const mergeResult = await mergeLabelBatch(uow, { ...groupLabel, group_id: group.id });
  if (mergeResult === MORE) await enqueue(uow, mergeLabels, { labelId: groupLabel.id });
  return groupLabel;
}

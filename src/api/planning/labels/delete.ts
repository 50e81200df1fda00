import { reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type ParentContext, requireParentAccess } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGE_LABELS } from './access.ts';
import { deleteLabelRow, LABEL_LINKS, removeLabelBatch } from './store.ts';

/** References from label events. index: resource_label_events_by_label */
const LABEL_EVENTS = { table: 'resource_label_events', column: 'label_id' };

/** Deletes a label after removing it from issuables and label events in batches of one transaction each. */
export function deleteLabel(
  runUnitOfWork: RunUnitOfWork,
  context: ParentContext,
  labelId: number,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, context.caller, {
    recheck: (uow) => requireParentAccess(uow, context, MANAGE_LABELS),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        ...LABEL_LINKS.map((link) => () => removeLabelBatch(uow, link, labelId, BATCH_SIZE)),
        () => reassignReferences(uow, LABEL_EVENTS, { from: labelId, to: null, limit: BATCH_SIZE }),
      );
      if (remainingWork) return remainingWork;
      return (await deleteLabelRow(uow, labelId)) ? undefined : fail('notFound');
    },
  });
}

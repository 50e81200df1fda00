import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, requireGroupAccess } from '#authorization/current-access.ts';
import { type Epic, findEpic, mayReadEpic } from '#authorization/epics.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteNotesBatch, EPICS } from '../issuables/index.ts';

/**
 * Deletes an epic, in several transactions if it has many notes or issues: first the notes, then the issue associations, then the
 * epic. Child epics lose their parent.
 */
export function removeEpic(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, iid, group_id }: Epic,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, caller, {
    async recheck(uow) {
      const { caller: currentCaller, group } = await requireGroupAccess(uow, caller, group_id, 'delete_epic');
      const epic = await findEpic(uow, group_id, iid);
      if (epic === null) return fail('notFound');
      if (!mayReadEpic(currentCaller, group, epic)) throw new AccessRevoked();
      return undefined;
    },
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => deleteNotesBatch(uow, EPICS, [id]),
        () => deleteIssuesBatch(uow, id),
      );
      if (remainingWork) return remainingWork;
      // index: epics primary key
      await uow.deleteFrom('epics').where('id', '=', id).execute();
    },
  });
}

/** Deletes a batch of issue associations and returns how many. index: epic_issues_by_epic */
async function deleteIssuesBatch(uow: UnitOfWork, epicId: number): Promise<number> {
  const batch = uow.selectFrom('epic_issues').select('id').where('epic_id', '=', epicId).limit(BATCH_SIZE);
  const deletedRows = await uow.deleteFrom('epic_issues').where('id', 'in', batch).returning('id').execute();
  return deletedRows.length;
}

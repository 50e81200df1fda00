import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, stillInGroup } from '#authorization/current-access.ts';
import { type Epic, findEpic, mayReadEpic } from '#authorization/epics.ts';
import { inPieces, PIECE, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { EPICS, removeSomeNotes } from '../issuables/index.ts';

/**
 * Deletes an epic, in several acts if very much has been said of it or very many issues are in it: what was said goes first,
 * then they leave it. Epics below it stand alone then.
 */
export function removeEpic(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, iid, group_id }: Epic,
): Promise<undefined | Failure<'gone'>> {
  return inPieces(runUnitOfWork, caller, {
    async ask(uow) {
      const { caller: now, group } = await stillInGroup(uow, caller, group_id, 'delete_epic');
      const epic = await findEpic(uow, group_id, iid);
      if (epic === null) return fail('gone');
      if (!mayReadEpic(now, group, epic)) throw new AccessRevoked();
      return undefined;
    },
    async piece(uow) {
      const more = await pieceOf(
        () => removeSomeNotes(uow, EPICS, [id]),
        () => dismissSomeIssues(uow, id),
      );
      if (more) return more;
      // index: epics primary key
      await uow.deleteFrom('epics').where('id', '=', id).execute();
    },
  });
}

/** How many they were. index: epic_issues_by_epic */
async function dismissSomeIssues(uow: UnitOfWork, epicId: number): Promise<number> {
  const some = uow.selectFrom('epic_issues').select('id').where('epic_id', '=', epicId).limit(PIECE);
  const gone = await uow.deleteFrom('epic_issues').where('id', 'in', some).returning('id').execute();
  return gone.length;
}

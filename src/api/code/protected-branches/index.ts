import type { Reader, Transaction } from '#database/database.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteLevels, findMemberIds, listLevelsOfUser } from './store.ts';

/** An access level of a protection rule that is granted to one user. */
interface EntryOfUser {
  readonly entry_id: number;
  /** Id of the project. */
  readonly id: number;
  readonly namespace_id: number;
}

/**
 * Returns a subscription that deletes the entries of a user who is no longer a member of a project. They are not restored when the
 * user joins again.
 */
export const deleteEntriesOfFormerMember = (
  listEntries: (db: Reader, userId: number) => Promise<readonly EntryOfUser[]>,
  deleteEntries: (tx: Transaction, ids: readonly number[]) => Promise<void>,
) =>
  defineSubscription({
    event: 'membership-ended',
    inTransaction: async (uow, { userId }) => {
      for (const entries of Map.groupBy(await listEntries(uow, userId), ({ id }) => id).values()) {
        const memberIds = await findMemberIds(uow, entries[0]!, [userId]);
        if (memberIds.has(userId)) continue;
        await deleteEntries(
          uow,
          entries.map(({ entry_id }) => entry_id),
        );
      }
    },
  }) satisfies AnySubscription<object>;

export { CREATE_RULE_ERRORS, deleteRules, importRule, protectBranchByName, unprotectBranchByName } from './changes.ts';
export { findMemberIds } from './store.ts';

export const protectedBranches = resourceModule({
  endpoints,
  subscriptions: [deleteEntriesOfFormerMember(listLevelsOfUser, deleteLevels)],
});

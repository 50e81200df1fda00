import type { Reader } from '#database/database.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteLevels, findMemberIds } from './store.ts';

/** Deletes the entries of a user who is no longer a member of a project. Joining again does not restore them. */
const onMembershipEnded = defineSubscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId }) => {
    for (const { entryIds, project } of await listEntriesByProject(uow, userId)) {
      const memberIds = await findMemberIds(uow, project, [userId]);
      if (!memberIds.has(userId)) await deleteLevels(uow, entryIds);
    }
  },
}) satisfies AnySubscription<object>;

interface EntriesOfProject {
  readonly project: { readonly id: number; readonly namespace_id: number };
  readonly entryIds: readonly number[];
}

async function listEntriesByProject(db: Reader, userId: number): Promise<EntriesOfProject[]> {
  // index: protected_branch_levels_of_user
  const rows = await db
    .selectFrom('protected_branch_access_levels as level')
    .innerJoin('protected_branches as rule', 'rule.id', 'level.protected_branch_id')
    .innerJoin('projects', 'projects.id', 'rule.project_id')
    .select(['level.id as entry_id', 'projects.id', 'projects.namespace_id'])
    .where('level.user_id', '=', userId)
    .orderBy('level.id')
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((projectRows) => ({
    project: projectRows[0]!,
    entryIds: projectRows.map(({ entry_id }) => entry_id),
  }));
}

export { CREATE_RULE_ERRORS, deleteRules, importRule, protectBranchByName, unprotectBranchByName } from './changes.ts';

export { findMemberIds } from './store.ts';

export const protectedBranches = resourceModule({ endpoints, subscriptions: [onMembershipEnded] });

import { deleteAuthorActivity } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { deleteUserRow, getGhostUserId, isDeletionScheduled } from '#authentication/users/deletion.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { endMembershipsOfUser, listSolelyOwnedGroups } from '#domain/members/memberships.ts';
import { listProjectIdsInNamespaces } from '#domain/namespaces/hierarchy.ts';
import { deletePersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { clearIntentUser } from '#repositories/ref-updates/intents.ts';
import { destroyGroupInBatches } from '../groups/index.ts';
import { destroyProject, destroyProjectBatch } from '../projects/index.ts';

/** The payload of the job. */
interface UserDestruction {
  readonly userId: number;
  /** Whether contributions and owned groups are deleted too. */
  readonly hard: boolean;
  /** Id and IP address of the administrator who deleted the user, for the audit events. */
  readonly actorId: number;
  readonly actorAddress: string | null;
}

/** Number of attempts of the job, enough for some weeks, because no user may stay partly deleted. */
const MAX_ATTEMPTS = 1000;

/**
 * Deletes a user whose account was disabled. Large data is deleted in batches, which can be repeated; the rest is deleted in
 * one last transaction with the row of the user.
 */
export const destroyUser = defineJob({
  kind: 'destroy_user',
  maxAttempts: MAX_ATTEMPTS,
  async handle(
    services: Pick<Services, 'database' | 'runUnitOfWork'>,
    { userId, hard, actorId, actorAddress }: UserDestruction,
  ) {
    const { reader } = services.database;
    if (!(await isDeletionScheduled(reader, userId))) return;
    const caller = await loadCaller(reader, actorId, actorAddress);
    for (const id of await listPersonalProjectIds(reader, userId)) {
      await runInBatches(services.runUnitOfWork, caller, {
        recheck: recheckNothing,
        runBatch: (uow) => destroyProjectBatch(uow, id),
      });
    }
    if (hard) await destroyOwnedGroups(services, caller, userId);
    await runInBatches(services.runUnitOfWork, caller, {
      recheck: recheckNothing,
      runBatch: (uow) => deleteRelatedBatch(uow, { userId, hard }),
    });
    await services.runUnitOfWork(caller, (uow) => destroyRemainder(uow, { userId, hard }));
  },
});

/** Deletes or reassigns the next batch of the user's contributions. Returns `MORE` while contributions may remain. */
async function deleteRelatedBatch(
  uow: UnitOfWork,
  { userId, hard }: Pick<UserDestruction, 'userId' | 'hard'>,
): Promise<typeof MORE | undefined> {
  return (await uow.publishBatch('user-deleted', { userId, ghostUserId: await getGhostUserId(uow), hard }))
    ? MORE
    : undefined;
}

/** Destroys the groups that the user owns alone. A group with a new Owner stays. */
async function destroyOwnedGroups(
  services: Pick<Services, 'database' | 'runUnitOfWork'>,
  caller: Caller,
  userId: number,
): Promise<void> {
  const listOwnedGroups = (db: Reader) => listSolelyOwnedGroups(db, userId);
  for (const group of await listOwnedGroups(services.database.reader)) {
    await destroyGroupInBatches(services, caller, group, async (db) =>
      (await listOwnedGroups(db)).some(({ id }) => id === group.id),
    );
  }
}

/** Deletes the remaining data and the row of the user in one transaction. */
async function destroyRemainder(
  uow: UnitOfWork,
  { userId, hard }: Pick<UserDestruction, 'userId' | 'hard'>,
): Promise<void> {
  if (!(await isDeletionScheduled(uow, userId))) return;
  // A request that ran while the account was disabled may have created another project.
  for (const id of await listPersonalProjectIds(uow, userId)) await destroyProject(uow, id);
  await deleteUserWithReferences(uow, { userId, hard });
}

/** Lists the projects in the user's personal namespace, including those marked for deletion. */
function listPersonalProjectIds(db: Reader, userId: number): Promise<number[]> {
  // index: namespaces_by_owner, projects_by_namespace
  return listProjectIdsInNamespaces(db, db.selectFrom('namespaces').select('id').where('owner_id', '=', userId));
}

/**
 * Deletes a user whose personal namespace is empty, with all references. Contributions are reassigned to the ghost
 * user, or with `hard` deleted (contract/conventions.md §10 "Internal users").
 */
export async function deleteUserWithReferences(
  uow: UnitOfWork,
  { userId, hard }: { readonly userId: number; readonly hard: boolean },
): Promise<void> {
  await uow.publish('user-deleted', { userId, ghostUserId: await getGhostUserId(uow), hard });
  await endMembershipsOfUser(uow, userId);
  await deleteAuthorActivity(uow, userId);
  await clearIntentUser(uow, userId);
  await deletePersonalNamespace(uow, userId);
  await deleteUserRow(uow, userId);
}

import { forgetSomeAuthorActivity } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { ghostId, isEnded } from '#authentication/users/deletion.ts';
import { callerOf } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { solelyOwnedGroups } from '#domain/members/memberships.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob } from '#jobs/job.ts';
import { destroyGroupBySteps } from '../groups/index.ts';
import { destroyPieceOfProject, destroyProject } from '../projects/index.ts';
import { removeSomeStars } from '../stars/index.ts';
import { removeUser } from './delete-user-row.ts';
import { forgetSomeCreated, personalProjects } from './store.ts';

interface Destruction {
  readonly userId: number;
  readonly hard: boolean;
  /** Whoever has deleted the user, and from where: the authors of what the history tells. */
  readonly by: number;
  readonly address: string | null;
}

/** Half a user helps nobody: it is tried for some weeks, each hour in the end. */
const MAX_ATTEMPTS = 1000;

/**
 * Removes a user whose account has ended. What is large goes step by step and finds nothing to do when it is done again;
 * the rest goes in one last transaction with the user's row, so that whoever begins anew finds either all of it or nothing.
 */
export const destroyUser = defineJob({
  kind: 'destroy_user',
  maxAttempts: MAX_ATTEMPTS,
  async handle(services: Services, { userId, hard, by, address }: Destruction) {
    const { reader } = services.database;
    if (!(await isEnded(reader, userId))) return;
    const caller = await callerOf(reader, by, address);
    for (const id of await personalProjects(reader, userId)) {
      await inPieces(services.runUnitOfWork, caller, {
        ask: nothingToAsk,
        piece: (uow) => destroyPieceOfProject(uow, id),
      });
    }
    if (hard) await destroyOwnedGroups(services, caller, userId);
    // A bot that pushes has made millions of them in three years.
    for (const forgetSome of [forgetSomeAuthorActivity, forgetSomeCreated, removeSomeStars]) {
      await sweepInBatches(services.database, PIECE, (tx, most) => forgetSome(tx, userId, most));
    }
    await inPieces(services.runUnitOfWork, caller, {
      ask: nothingToAsk,
      piece: (uow) => pieceAhead(uow, { userId, hard }),
    });
    await services.runUnitOfWork(caller, (uow) => destroyRest(uow, { userId, hard }));
  },
});

/** What families keep of him goes or becomes the ghost's. */
async function pieceAhead(
  uow: UnitOfWork,
  { userId, hard }: Pick<Destruction, 'userId' | 'hard'>,
): Promise<typeof MORE | undefined> {
  return (await uow.publishBatch('user-deleted', { userId, ghostUserId: await ghostId(uow), hard })) ? MORE : undefined;
}

/** A group that has got another Owner meanwhile stays. */
async function destroyOwnedGroups(services: Services, caller: Caller, userId: number): Promise<void> {
  const owned = (db: Reader) => solelyOwnedGroups(db, userId);
  for (const group of await owned(services.database.reader)) {
    await destroyGroupBySteps(services, caller, group, async (db) =>
      (await owned(db)).some(({ id }) => id === group.id),
    );
  }
}

async function destroyRest(uow: UnitOfWork, { userId, hard }: Pick<Destruction, 'userId' | 'hard'>): Promise<void> {
  if (!(await isEnded(uow, userId))) return;
  // A request that was on its way when the account ended may have made one more.
  for (const id of await personalProjects(uow, userId)) await destroyProject(uow, id);
  await removeUser(uow, { userId, hard });
}

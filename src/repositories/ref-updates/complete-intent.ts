import { type Push, recordPushEvents } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { gitFor } from '#git/git.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { readSettings } from '#settings/settings.ts';
import { settleDefaultBranch } from '../branches/initial-default-branch.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { settleWiki } from '../wikis/complete-intent.ts';
import { type Intent, takeIntent } from './intents.ts';
import { describeChanges } from './push-changes.ts';
import { actorOf } from './ref-update-actor.ts';

/** Records what really moved and strikes the intent out, exactly once whoever does it and however often it is tried. */
export async function settleIntent(services: RefServices, intent: Intent, moved: readonly RefChange[]): Promise<void> {
  if (intent.wikiId !== undefined) return settleWiki(services, intent, moved);
  const { database, runUnitOfWork } = services;
  const { projectId } = intent;
  // The refs have moved: this is owed to everybody, and not only to a client that may have gone.
  const git = gitFor(services.git, null);
  const place = await settleDefaultBranch(services, projectId, moved);
  if (place === null) {
    // The project is gone, and with it everybody who would want to know.
    await database.transaction((tx) => takeIntent(tx, intent.id), { owed: true });
    return;
  }
  const { push_event_activities_limit: limit } = await readSettings(database.reader);
  const context = { git, repository: repositoryOf(git, place), defaultBranch: place.default_branch, limit };
  const changes = intent.userId === null ? [] : await describeChanges(moved, context);
  // All changes of a repository write its version.
  const turn = `refs of ${projectId}`;
  const mover = await actorOf(database.reader, intent.userId);
  const recorded = { ...intent, projectId };
  await runUnitOfWork(mover, (uow) => recordMoved(uow, recorded, moved, { changes, limit }), { turn, owed: true });
}

/** The events are the pusher's, whoever settles the intent: be it the start of a server after a crash. */
async function recordMoved(
  uow: UnitOfWork,
  { id, projectId, options }: Intent & { readonly projectId: number },
  moved: readonly RefChange[],
  { changes, limit }: Pick<Push, 'changes' | 'limit'>,
): Promise<void> {
  const taken = await takeIntent(uow, id);
  if (taken === null || moved.length === 0) return;
  const { userId, merge } = taken;
  await raiseVersion(uow, projectId);
  if (userId !== null && changes.length > 0) {
    await recordPushEvents(uow, { projectId, authorId: userId, changes, limit });
  }
  const merged = moved.some(({ ref, newId }) => ref === merge?.ref && newId === merge.newId);
  await uow.publish('refs-changed', {
    projectId,
    userId,
    changes: moved,
    ...(merged && { merge }),
    ...(options && { options }),
  });
}

/** Whatever is remembered of a project's refs is old from now on. */
export async function raiseVersion(tx: Transaction, projectId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ ref_state_version: eb('ref_state_version', '+', 1) }))
    .where('project_id', '=', projectId)
    .execute();
}

import { type Push, recordPushEvents } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { gitForClient } from '#git/git.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { loadSettings } from '#settings/settings.ts';
import { chooseDefaultBranch } from '../branches/initial-default-branch.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { completeSnippetIntent } from '../snippets/complete-intent.ts';
import { completeWikiIntent } from '../wikis/complete-intent.ts';
import { deleteIntent, type Intent } from './intents.ts';
import { describePushChanges } from './push-changes.ts';
import { loadActor } from './ref-update-actor.ts';

/** Records the moved refs and deletes the intent. Idempotent: only the call that deletes the intent records them. */
export async function completeIntent(
  services: RefServices,
  intent: Intent,
  movedRefs: readonly RefChange[],
): Promise<void> {
  if (intent.wikiId !== undefined) return completeWikiIntent(services, intent, movedRefs);
  if (intent.snippetId !== undefined) return completeSnippetIntent(services, intent, movedRefs);
  const { database, runUnitOfWork } = services;
  const { projectId } = intent;
  // The refs have moved: completion must not depend on a client that may have disconnected.
  const git = gitForClient(services.git, null);
  const location = await chooseDefaultBranch(services, projectId, movedRefs);
  if (location === null) {
    // The project was deleted: nothing is recorded.
    await database.transaction((tx) => deleteIntent(tx, intent.id), { exemptFromLimit: true });
    return;
  }
  const { push_event_activities_limit: limit } = await loadSettings(database.reader);
  const context = { git, repository: getRepository(git, location), defaultBranch: location.default_branch, limit };
  const changes = intent.userId === null ? [] : await describePushChanges(movedRefs, context);
  // Intents of one repository are completed one at a time, because each increments the ref-state version.
  const lock = `refs of ${projectId}`;
  const actor = await loadActor(database.reader, intent.userId);
  const intentOfProject = { ...intent, projectId };
  await runUnitOfWork(actor, (uow) => recordMovedRefs(uow, intentOfProject, movedRefs, { changes, limit }), {
    lock,
    exemptFromLimit: true,
  });
}

/** Records the events of the pusher, even if another process completes the intent after a crash. */
async function recordMovedRefs(
  uow: UnitOfWork,
  { id, projectId, options }: Intent & { readonly projectId: number },
  movedRefs: readonly RefChange[],
  { changes, limit }: Pick<Push, 'changes' | 'limit'>,
): Promise<void> {
  const deletedIntent = await deleteIntent(uow, id);
  if (deletedIntent === null || movedRefs.length === 0) return;
  const { userId, merge } = deletedIntent;
  await incrementRefVersion(uow, projectId);
  if (userId !== null && changes.length > 0) {
    await recordPushEvents(uow, { projectId, authorId: userId, changes, limit });
  }
  const isMergeMoved = movedRefs.some(({ ref, newId }) => ref === merge?.ref && newId === merge.newId);
  await uow.publish('refs-changed', {
    projectId,
    userId,
    changes: movedRefs,
    ...(merge && isMergeMoved && { merge }),
    ...(options && { options }),
  });
}

/** Increments the ref-state version, which invalidates all cached ref data of a project. */
export async function incrementRefVersion(tx: Transaction, projectId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ ref_state_version: eb('ref_state_version', '+', 1) }))
    .where('project_id', '=', projectId)
    .execute();
}

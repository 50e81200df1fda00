import { listPushedRefsSince } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { findSnippet } from '#domain/snippets.ts';
import { findWikiById } from '#domain/wikis.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { getObjectInfo } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import { type RefChange, restoreLostRefs } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { defineJob } from '#jobs/job.ts';
import { syncHead } from '../branches/default-branch.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { syncWikiHead } from '../wikis/complete-intent.ts';
import { completeIntent } from './complete-intent.ts';
import { type AbandonedIntent, type Intent, listAbandonedIntents, listChangesOfOtherIntents } from './intents.ts';

// An intent is the stored record of a ref update that has begun. Here those whose process died are compared with the refs, and
// completed or discarded.

/** Number of intents per query. */
const BATCH_SIZE = 100;

/** Later than the end of every lease, so that all intents count as abandoned. */
const END_OF_TIME = '9999-12-31T00:00:00.000Z';

/**
 * Completes abandoned intents and returns their number. For the only process of a database (SQLite) all intents are
 * abandoned, otherwise those with an expired lease. An intent that fails, for example because its repository is broken, is
 * retried later and does not block the start.
 */
export async function recoverInterruptedRefUpdates(
  services: RefServices,
  { isOnlyProcess }: { readonly isOnlyProcess: boolean },
): Promise<number> {
  let completedCount = 0;
  for (let afterId = 0; ; ) {
    const intents = await services.database.transaction((tx) =>
      listAbandonedIntents(tx, isOnlyProcess ? END_OF_TIME : tx.now, afterId, BATCH_SIZE),
    );
    for (const intent of intents) if (await completeOrLog(services, intent)) completedCount++;
    afterId = intents.at(-1)?.id ?? afterId;
    if (intents.length < BATCH_SIZE) return completedCount;
  }
}

/** Returns whether the intent was completed. */
async function completeOrLog(services: RefServices, intent: AbandonedIntent): Promise<boolean> {
  try {
    await completeFromRefs(services, intent);
    return true;
  } catch (error) {
    services.git.log('ref_intent_unsettled', {
      project: intent.projectId,
      wiki: intent.wikiId,
      snippet: intent.snippetId,
      intent: intent.id,
      err: error,
    });
    return false;
  }
}

async function completeFromRefs(services: RefServices, intent: AbandonedIntent): Promise<void> {
  const location = await findLocation(services.database.reader, intent);
  const repository = location ? getRepository(services.git, location) : null;
  if (repository !== null) await restoreLostRefs(services.git, repository, intent.changes);
  const completedChanges = repository === null ? [] : await findCompletedChanges(services, repository, intent);
  await completeIntent(services, intent, completedChanges);
  // Its process may have died between setting the default branch and updating HEAD.
  const { projectId, wikiId } = intent;
  if (projectId !== undefined) await syncHead(services.database.reader, services.git, projectId);
  if (wikiId !== undefined) await syncWikiHead(services.database.reader, services.git, wikiId);
}

async function findLocation(db: Reader, { projectId, wikiId, snippetId }: Intent): Promise<LocatedRepository | null> {
  if (wikiId !== undefined) return findWikiById(db, wikiId);
  if (snippetId !== undefined) return findSnippet(db, snippetId);
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** Completes expired intents of other processes on the same database. */
export const recoverInterruptedRefUpdatesJob = defineJob({
  kind: 'recover_interrupted_ref_updates',
  handle: async (services: RefServices) => {
    await recoverInterruptedRefUpdates(services, { isOnlyProcess: false });
  },
});

export const recoverInterruptedRefUpdatesEveryMinute = {
  name: 'recover_interrupted_ref_updates',
  cron: '* * * * *',
  job: recoverInterruptedRefUpdatesJob,
};

/**
 * Returns the completed changes of an abandoned intent. A change is complete if its ref is at the intended id, or was moved
 * from there by others. If another intent has already moved the ref from the same old id, for example because the client
 * got no response and pushed again, this change is not complete.
 */
async function findCompletedChanges(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  repository: Repository,
  intent: AbandonedIntent,
): Promise<RefChange[]> {
  const otherChangesByRef = Map.groupBy(await loadOtherChanges(database.reader, intent), ({ ref }) => ref);
  const completedChanges: RefChange[] = [];
  for (const change of intent.changes) {
    if (await isCompleted(git, repository, change, otherChangesByRef.get(change.ref) ?? []))
      completedChanges.push(change);
  }
  return completedChanges;
}

/** A change of a ref by another intent. */
interface OtherChange {
  readonly ref: string;
  readonly oldId: string;
  /** Null for a change that has an activity event already: it is completed. */
  readonly newId: string | null;
}

async function loadOtherChanges(db: Reader, intent: AbandonedIntent): Promise<OtherChange[]> {
  const pendingChanges = await listChangesOfOtherIntents(db, intent);
  if (intent.projectId === undefined) return pendingChanges;
  const recordedChanges = await listPushedRefsSince(db, intent.projectId, intent.createdAt);
  return [
    ...pendingChanges,
    ...recordedChanges.map(({ refType, ref, from }) => ({
      ref: (refType === 'branch' ? HEADS : TAGS) + ref,
      oldId: from ?? ZERO_ID,
      newId: null,
    })),
  ];
}

async function isCompleted(
  git: Git,
  repository: Repository,
  { ref, oldId, newId }: RefChange,
  otherChanges: readonly OtherChange[],
): Promise<boolean> {
  // Among changes with the same old id, at most one can have moved the ref.
  const competingChanges = otherChanges.filter((otherChange) => otherChange.oldId === oldId);
  if (competingChanges.some((competingChange) => competingChange.newId === null)) return false;
  const currentId = (await resolveRef(repository, ref)) ?? ZERO_ID;
  if (currentId === newId || currentId === oldId || currentId === ZERO_ID || newId === ZERO_ID)
    return currentId === newId;
  // Whether another intent has moved the ref, or will move it, from this id.
  const isMovedFrom = (id: string | null) => otherChanges.some((otherChange) => otherChange.oldId === id);
  if (isMovedFrom(newId)) return true;
  if (
    competingChanges.some(
      (competingChange) => competingChange.newId === currentId || isMovedFrom(competingChange.newId),
    )
  )
    return false;
  // Only commits have ancestors; a ref can point to any object.
  if (!(await isCommit(git, repository, newId)) || !(await isCommit(git, repository, currentId))) return false;
  return isAncestor(git, repository, newId, currentId);
}

/** Returns whether the object exists and is a commit or a tag of one. */
async function isCommit(git: Git, repository: Repository, id: string): Promise<boolean> {
  return (await getObjectInfo(git, repository, `${id}^{commit}`)) !== null;
}

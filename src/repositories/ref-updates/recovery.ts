import type { Reader } from '#database/database.ts';
import { findSnippet } from '#domain/snippets.ts';
import { findWikiById } from '#domain/wikis.ts';
import { restoreLostRefs } from '#git/refs/sync-refs.ts';
import { defineJob } from '#jobs/job.ts';
import { syncHead } from '../branches/default-branch.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { syncWikiHead } from '../wikis/complete-intent.ts';
import { completeIntent } from './complete-intent.ts';
import { findCompletedChanges } from './completed-changes.ts';
import { type AbandonedIntent, type Intent, listAbandonedIntents } from './intents.ts';

/** Completes or discards intents whose process died, by comparing them with the refs. */

/** Number of intents per query. */
const BATCH_SIZE = 100;

/** A timestamp after all leases, by which every intent counts as abandoned. */
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
  const movedRefs = repository === null ? [] : await findCompletedChanges(services, repository, intent);
  await completeIntent(services, intent, movedRefs);
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
  kind: 'settle_left_ref_intents',
  handle: async (services: RefServices) => {
    await recoverInterruptedRefUpdates(services, { isOnlyProcess: false });
  },
});

export const recoverInterruptedRefUpdatesEveryMinute = {
  name: 'settle_left_ref_intents',
  cron: '* * * * *',
  job: recoverInterruptedRefUpdatesJob,
};

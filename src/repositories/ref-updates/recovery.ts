import type { Reader } from '#database/database.ts';
import { readWiki } from '#domain/wikis.ts';
import { defineJob } from '#jobs/job.ts';
import { pointHead } from '../branches/default-branch.ts';
import { type Placed, repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { pointHeadOfWiki } from '../wikis/complete-intent.ts';
import { settleIntent } from './complete-intent.ts';
import { haveMoved } from './completed-changes.ts';
import { type Intent, type LeftIntent, leftIntents } from './intents.ts';

/** Ref changes whose process died between the intent and its settling: finished, or dropped, by what the refs say. */

const BATCH = 100;

/** Far in the future, in the form of timestamps: every intent is left over when this server is alone with its database. */
const ALWAYS = '9999-12-31T00:00:00.000Z';

/**
 * At start. Alone with its database (SQLite, one server per data directory) nobody else can be settling anything;
 * beside other processes only leases that ran out count. One that can't be settled, because its repository is broken, say,
 * waits for the next time: neither the others nor the start of a server depend on it.
 */
export async function settleLeftIntents(services: RefServices, alone: boolean): Promise<number> {
  let settled = 0;
  for (let after = 0; ; ) {
    const left = await services.database.transaction((tx) => leftIntents(tx, alone ? ALWAYS : tx.now, after, BATCH));
    for (const intent of left) if (await settleOrLog(services, intent)) settled++;
    after = left.at(-1)?.id ?? after;
    if (left.length < BATCH) return settled;
  }
}

async function settleOrLog(services: RefServices, intent: LeftIntent): Promise<boolean> {
  try {
    await settleByRefs(services, intent);
    return true;
  } catch (error) {
    services.git.log('ref_intent_unsettled', {
      project: intent.projectId,
      wiki: intent.wikiId,
      intent: intent.id,
      err: error,
    });
    return false;
  }
}

async function settleByRefs(services: RefServices, intent: LeftIntent): Promise<void> {
  const place = await placeOf(services.database.reader, intent);
  const repository = place ? repositoryOf(services.git, place) : null;
  const moved = repository === null ? [] : await haveMoved(services, repository, intent);
  await settleIntent(services, intent, moved);
  // Its process may have died when it had decided the default branch, and HEAD had not followed.
  if (intent.wikiId === undefined) await pointHead(services.database.reader, services.git, intent.projectId);
  else await pointHeadOfWiki(services.database.reader, services.git, intent.wikiId);
}

async function placeOf(db: Reader, { projectId, wikiId }: Intent): Promise<Placed | null> {
  if (wikiId !== undefined) return readWiki(db, wikiId);
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** Every minute, for what other processes on the same database have left. */
export const settleLeft = defineJob({
  kind: 'settle_left_ref_intents',
  handle: async (services: RefServices) => {
    await settleLeftIntents(services, false);
  },
});

export const settleLeftEveryMinute = { name: 'settle_left_ref_intents', cron: '* * * * *', job: settleLeft };

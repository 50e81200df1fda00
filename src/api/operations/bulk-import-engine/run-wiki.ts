import { HEADS } from '#git/ref-names.ts';
import { listRefs } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { recordBulkWikiUpdate } from '#repositories/wikis/complete-intent.ts';
import { findOrInsertWiki } from '#repositories/wikis/find-or-create.ts';
import { enqueueWikiMaintenance } from '#repositories/wikis/maintenance.ts';
import { isFailure } from '#runtime/failure.ts';
import { CallFailed, DestinationGone } from './interruptions.ts';
import { beginFilling, endFilling, giveUpFilling } from './repository-import-lock.ts';
import { failRelation, touch } from './run-relation.ts';
import { fetchWhole, type ImportRemote, remoteOf, whenMoved } from './run-repository.ts';
import { type Running, targetNow } from './running-entity.ts';
import { setTracker, type TrackerRow } from './store.ts';

/** The source has no wiki, or shows none. */
const WITHOUT = [403, 404];

/** Brings the wiki of a project as its repository was brought, where there is one; what is wrong with it is no end. */
export async function runWiki(running: Running, tracker: TrackerRow): Promise<void> {
  const { database } = running.services;
  const { place } = await targetNow(database.forRequest().reader, running);
  const { project } = place;
  if (project === undefined) throw new DestinationGone();
  try {
    const remote = await remoteOf(running, tracker, '.wiki.git', WITHOUT);
    if (remote === null) return await database.transaction((tx) => setTracker(tx, tracker.id, { status: 'skipped' }));
    await fetchWiki(running, tracker, project, remote);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await database.transaction((tx) => giveUpFilling(tx, project.id));
    await failRelation(running, tracker, error.failure);
  }
}

type Project = NonNullable<Awaited<ReturnType<typeof targetNow>>['place']['project']>;

async function fetchWiki(running: Running, tracker: TrackerRow, project: Project, remote: ImportRemote): Promise<void> {
  const { database, git } = running.services;
  const { wiki, filled } = await database.transaction(async (tx) => {
    await setTracker(tx, tracker.id, { status: 'started' });
    const made = await findOrInsertWiki(tx, { project });
    return { wiki: made, filled: await beginFilling(tx, project.id) };
  });
  if (filled === null) return whenMoved(running);
  if (isFailure(wiki)) throw new CallFailed('The repository is temporarily read-only. Please try again later.');
  const repository = getRepository(git, wiki);
  await fetchWhole(running, tracker, repository, wiki, remote);
  const branches = (await listRefs(git, repository, HEADS)).map(({ name }) => name.slice(HEADS.length));
  await recordBulkWikiUpdate(running.services, wiki.wiki_id, branches);
  const isThere = await database.transaction(async (tx) => {
    if (!(await endFilling(tx, project.id, filled))) return false;
    await enqueueWikiMaintenance(tx, wiki.wiki_id);
    await setTracker(tx, tracker.id, { status: 'finished' });
    await touch(tx, running.entity);
    return true;
  });
  if (!isThere) whenMoved(running);
}

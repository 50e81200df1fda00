import { getRepository } from '#repositories/repository.ts';
import { recordBulkWikiUpdate } from '#repositories/wikis/complete-intent.ts';
import { findOrInsertWiki } from '#repositories/wikis/find-or-create.ts';
import { enqueueWikiMaintenance } from '#repositories/wikis/maintenance.ts';
import { isFailure } from '#runtime/failure.ts';
import { CallFailed, DestinationDeleted } from './interruptions.ts';
import { lockRepositories, unlockRepositories, unlockUnmovedRepositories } from './repository-import-lock.ts';
import { failRelation, recordProgress } from './run-relation.ts';
import { fetchRepository, listFetchedBranches, recordOmittedRefs, resumeAfterMove } from './run-repository.ts';
import { type EntityRun, loadTarget } from './running-entity.ts';
import { type TrackerRow, updateTracker } from './store.ts';

/** Response statuses that mean: the source has no wiki, or the importer may not read it. */
const NO_WIKI_STATUSES = [403, 404];

/** Fetches the wiki of a project, if the source has one. A failed fetch becomes a failure record and does not end the entity. */
export async function runWiki(run: EntityRun, tracker: TrackerRow): Promise<void> {
  const { database } = run.services;
  const { destination } = await loadTarget(database.forRequest().reader, run);
  const { project } = destination;
  if (project === undefined) throw new DestinationDeleted();
  try {
    await fetchWiki(run, tracker, project);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await database.transaction((tx) => unlockRepositories(tx, project.id));
    await failRelation(run, tracker, error.failure);
  }
}

type Project = NonNullable<Awaited<ReturnType<typeof loadTarget>>['destination']['project']>;

/** Fetches the wiki, and stores its new pages and the state of the tracker. Skips the tracker if the source has no wiki. */
async function fetchWiki(run: EntityRun, tracker: TrackerRow, project: Project): Promise<void> {
  const { database, git } = run.services;
  let startedWiki: Awaited<ReturnType<typeof startWiki>> | undefined;
  const findTarget = async () => {
    startedWiki = await startWiki(run, tracker, project);
    return { repository: getRepository(git, startedWiki.wiki), defaultBranch: startedWiki.wiki.default_branch };
  };
  const omittedRefs = await fetchRepository(run, tracker, findTarget, '.wiki.git', NO_WIKI_STATUSES);
  if (omittedRefs === null) return database.transaction((tx) => updateTracker(tx, tracker.id, { status: 'skipped' }));
  // `fetchRepository` has called `findTarget`, because refs arrived.
  const { wiki, lockedRepository } = startedWiki!;
  await recordBulkWikiUpdate(run.services, wiki, await listFetchedBranches(git, getRepository(git, wiki)));
  const isStored = await database.transaction(async (tx) => {
    if (!(await unlockUnmovedRepositories(tx, project.id, lockedRepository))) return false;
    await enqueueWikiMaintenance(tx, wiki.wiki_id);
    await recordOmittedRefs(tx, run, tracker, omittedRefs);
    await updateTracker(tx, tracker.id, { status: 'finished' });
    await recordProgress(tx, run.entity);
    return true;
  });
  if (!isStored) resumeAfterMove(run);
}

/** Creates the wiki if it does not exist, and makes the repositories of the project read-only until the fetch is complete. */
async function startWiki(run: EntityRun, tracker: TrackerRow, project: Project) {
  const { wiki, lockedRepository } = await run.services.database.transaction(async (tx) => {
    await updateTracker(tx, tracker.id, { status: 'started' });
    const wikiRow = await findOrInsertWiki(tx, { project });
    return { wiki: wikiRow, lockedRepository: await lockRepositories(tx, project.id) };
  });
  if (lockedRepository === null) return resumeAfterMove(run);
  if (isFailure(wiki)) throw new CallFailed('The repository is temporarily read-only. Please try again later.');
  return { wiki, lockedRepository };
}

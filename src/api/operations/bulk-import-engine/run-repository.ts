import type { Columns, Transaction } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { GitError, type GitFailure } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import {
  FetchPreempted,
  fetchUntrusted,
  UNTRUSTED_LIMITS,
  type UntrustedRemote,
} from '#git/transport/fetch-untrusted.ts';
import { OutboundFailure } from '#outbound-http/check-url.ts';
import type { OutboundResponse } from '#outbound-http/client.ts';
import { chooseDefaultBranch } from '#repositories/branches/initial-default-branch.ts';
import { recordBulkRefUpdate } from '#repositories/maintenance/maintenance.ts';
import { getRepository } from '#repositories/repository.ts';
import { recordBulkWikiUpdate } from '#repositories/wikis/complete-intent.ts';
import { findOrInsertWiki } from '#repositories/wikis/find-or-create.ts';
import { enqueueWikiMaintenance } from '#repositories/wikis/maintenance.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { CallFailed, DestinationDeleted, ImportStopped, ResumeLater, recordFailure } from './failures.ts';
import { takeFetchSlot } from './fetch-slots.ts';
import { failRelation, recordProgress } from './run-relation.ts';
import { type EntityRun, getImportIds, loadTarget } from './running-entity.ts';
import { throwGitRetryOrFailure } from './source-calls.ts';
import { type TrackerRow, updateTracker } from './store.ts';

/**
 * Fetches the refs of a project from the source by git (contract/operations.md §1.4 "Git"). Nobody may push meanwhile: the
 * repository is read-only until the fetch is complete and its history is checked. Returns whether it succeeded.
 */
export async function runRepository(run: EntityRun, tracker: TrackerRow): Promise<boolean> {
  const { database, git, log } = run.services;
  const { destination } = await loadTarget(database.forRequest().reader, run);
  const { project } = destination;
  if (project === undefined) throw new DestinationDeleted();
  const lockedRepository = await database.transaction(async (tx) => {
    await updateTracker(tx, tracker.id, { status: 'started' });
    return lockRepositories(tx, project.id);
  });
  if (lockedRepository === null) return throwResumeAfterMove(run);
  try {
    const repository = getRepository(git, { ...project, ...lockedRepository });
    const target = { repository, defaultBranch: project.default_branch };
    // Not null: without `missingStatuses`, every failed response throws.
    const omittedRefs = (await fetchRepository(run, tracker, async () => target, '.git'))!;
    const branches = await listFetchedBranches(git, repository);
    await chooseDefaultBranch(run.services, project.id, branches);
    const isStored = await database.transaction(async (tx) => {
      if (!(await unlockUnmovedRepositories(tx, project.id, lockedRepository))) return false;
      await recordBulkRefUpdate(tx, project.id);
      await recordOmittedRefs(tx, run, tracker, omittedRefs);
      await updateTracker(tx, tracker.id, { status: 'finished' });
      await recordProgress(tx, run.entity);
      return true;
    });
    if (!isStored) return throwResumeAfterMove(run);
    log.info({ ...getImportIds(run), branches: branches.length }, 'A repository was imported');
    return true;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await database.transaction(async (tx) => {
      await unlockRepositories(tx, project.id);
      await recordBulkRefUpdate(tx, project.id);
    });
    await failRelation(run, tracker, error.failure);
    return false;
  }
}

/** Returns the branches of a repository that was fetched, as the changes that created them. */
async function listFetchedBranches(git: Git, repository: Repository): Promise<RefChange[]> {
  const refs = await listRefs(git, repository, HEADS);
  return refs.map(({ name: ref, id: newId }) => ({ ref, oldId: ZERO_ID, newId }));
}

/** Milliseconds until the import tries again while the repository moves. */
const MOVE_RETRY_MS = 30_000;

/** Resumes the import later, because the repository is moving to another storage. */
function throwResumeAfterMove({ now }: EntityRun): never {
  throw new ResumeLater(addMilliseconds(now(), MOVE_RETRY_MS));
}

/** Records a failure for each ref that was left out. */
async function recordOmittedRefs(
  tx: Transaction,
  run: EntityRun,
  { relation }: TrackerRow,
  omittedRefs: readonly string[],
): Promise<void> {
  for (const ref of omittedRefs) {
    await recordFailure(
      tx,
      { ...getImportIds(run), relation },
      {
        step: 'transformer',
        class: 'BulkImports::Error',
        message: 'The ref was not imported: its name is not allowed, or it is no commit',
        objectRef: { title: ref, url: null },
      },
    );
  }
}

const ADVERTISEMENT_SUFFIX = '/info/refs?service=git-upload-pack';

/** Identifies the git fetch among the calls of a tracker, whose retries are counted per call. */
const GIT_CALL = 'git';

/** Time limits of the two requests and delays before retries, in milliseconds. */
const ADVERTISEMENT_TIMEOUT_MS = 120_000;
const PACK_TIMEOUT_MS = 2 * 60 * 60 * 1000;
const SLOT_RETRY_MS = 5_000;
const PREEMPTED_RETRY_MS = 60_000;

/** The source responded with a status that means: there is no repository to fetch. */
class RepositoryMissing extends Error {}

/**
 * Replaces the repository by all refs of the source; if the fetch fails, the repository does not change. Calls `findTarget`
 * when the refs of the source have arrived. Returns the refs that were left out, or null if the response status is one of
 * `missingStatuses`.
 */
async function fetchRepository(
  run: EntityRun,
  tracker: TrackerRow,
  findTarget: () => Promise<{ readonly repository: Repository; readonly defaultBranch: string }>,
  suffix: '.git' | '.wiki.git',
  missingStatuses: readonly number[] = [],
): Promise<readonly string[] | null> {
  const { services, signal, now } = run;
  const slot = takeFetchSlot(services.git, run.importer.user.id);
  if (slot === null) throw new ResumeLater(addMilliseconds(now(), SLOT_RETRY_MS));
  try {
    const remote = createRemote(run, tracker, suffix, missingStatuses);
    const limits = { ...UNTRUSTED_LIMITS, maxPackBytes: await loadMaxPackBytes(run) };
    return await fetchUntrusted(services.git, remote, findTarget, { limits, isContended: slot.isContended, signal });
  } catch (error) {
    if (error instanceof RepositoryMissing) return null;
    if (signal.aborted) throw new ImportStopped();
    if (error instanceof FetchPreempted) throw new ResumeLater(addMilliseconds(now(), PREEMPTED_RETRY_MS));
    if (error instanceof OutboundFailure) return throwRequestRetryOrFailure(run, tracker, error);
    if (!(error instanceof GitError)) throw error;
    const { failure } = error;
    services.log.warn({ ...getImportIds(run), failure }, 'A repository could not be fetched');
    if (failure.kind === 'missing-object') throw new CallFailed('The history of the repository is not whole');
    const message = `The repository could not be fetched: ${failure.kind}`;
    if (isRetryable(failure)) throwGitRetryOrFailure(run, tracker, GIT_CALL, message);
    throw new CallFailed(message);
  } finally {
    slot.release();
  }
}

/** Converts the setting, in MiB, to bytes; 0 means no limit. */
async function loadMaxPackBytes({ services }: EntityRun): Promise<number> {
  const { max_import_size: mebibytes } = await loadSettings(services.database.forRequest().reader);
  return mebibytes === 0 ? Number.POSITIVE_INFINITY : mebibytes * 1024 * 1024;
}

/** Throws ResumeLater if a failed HTTP request may succeed later, else CallFailed. */
function throwRequestRetryOrFailure(
  run: EntityRun,
  tracker: TrackerRow,
  { kind, isTemporary, message }: OutboundFailure,
): never {
  if (isTemporary) throwGitRetryOrFailure(run, tracker, GIT_CALL, message);
  throw new CallFailed(kind === 'blocked' ? `URL is blocked: ${message}` : message);
}

/** Returns whether a retry may succeed: after network and process failures, but not after failures of the content. */
const isRetryable = ({ kind }: GitFailure) => kind === 'failed' || kind === 'locked' || kind === 'stopped';

/**
 * Returns the remote repository of the source. The first request follows redirects, each of which is checked as every
 * outbound request is. Only the source itself receives the token.
 */
function createRemote(
  run: EntityRun,
  tracker: TrackerRow,
  suffix: '.git' | '.wiki.git',
  missingStatuses: readonly number[],
): UntrustedRemote {
  const { sourceClient: source, entity, token, services, signal } = run;
  const sourceUrl = `${source.baseUrl}/${entity.source_full_path}${suffix}`;
  const authorization = `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`;
  let finalUrl = sourceUrl;
  const requireSuccess = (response: OutboundResponse) => {
    const { status, headers, body } = response;
    if (status === 200) return response;
    body.destroy();
    if (missingStatuses.includes(status)) throw new RepositoryMissing();
    if (TEMPORARY_STATUSES.has(status)) {
      const retryHint = { status, retryAfter: headers['retry-after'] ?? null };
      throwGitRetryOrFailure(run, tracker, GIT_CALL, formatStatusError(status), retryHint);
    }
    throw new CallFailed(formatStatusError(status));
  };
  return {
    async advertise(maxBytes) {
      const response = await services.outbound.request({
        url: `${sourceUrl}${ADVERTISEMENT_SUFFIX}`,
        headers: { authorization },
        transfer: { maxBytes },
        totalMs: ADVERTISEMENT_TIMEOUT_MS,
        signal,
      });
      const { body, url } = requireSuccess(response);
      if (!url.href.endsWith(ADVERTISEMENT_SUFFIX)) {
        body.destroy();
        throw new CallFailed('The repository of the source was redirected to something else');
      }
      finalUrl = url.href.slice(0, -ADVERTISEMENT_SUFFIX.length);
      return body;
    },
    async uploadPack(body, maxBytes) {
      const isSourceOrigin = new URL(finalUrl).origin === new URL(sourceUrl).origin;
      const response = await services.outbound.request({
        method: 'POST',
        url: `${finalUrl}/git-upload-pack`,
        headers: {
          'content-type': 'application/x-git-upload-pack-request',
          accept: 'application/x-git-upload-pack-result',
          ...(isSourceOrigin ? { authorization } : {}),
        },
        body,
        transfer: { maxBytes },
        maxRedirects: 0,
        totalMs: PACK_TIMEOUT_MS,
        signal,
      });
      return requireSuccess(response).body;
    },
  };
}

const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const formatStatusError = (status: number) => `Unsuccessful response ${status} from the repository`;

// Makes the repositories of a project read-only during an import, and prevents moves to another storage.

/** Location of the repositories at the start of the import. */
type LockedRepository = Columns<'repositories', 'storage' | 'disk_path'>;

/** Makes the repositories read-only. Returns null if they are moving to another storage. */
async function lockRepositories(tx: Transaction, projectId: number): Promise<LockedRepository | null> {
  const location = await tx
    .updateTable('repositories')
    .set({ read_only: true })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null)
    .returning(['storage', 'disk_path'])
    .executeTakeFirst();
  return location ?? null;
}

/** Makes the repositories writable again, unless they are moving to another storage. */
export async function unlockRepositories(tx: Transaction, projectId: number): Promise<void> {
  await buildUnlockQuery(tx, projectId).execute();
}

/**
 * Unlocks the repositories. Returns false if they were unlocked and moved meanwhile, so that fetched data may be
 * missing.
 */
async function unlockUnmovedRepositories(
  tx: Transaction,
  projectId: number,
  { storage, disk_path }: LockedRepository,
): Promise<boolean> {
  const unlockedRow = await buildUnlockQuery(tx, projectId)
    .where('storage', '=', storage)
    .where('disk_path', '=', disk_path)
    .returning('project_id')
    .executeTakeFirst();
  return unlockedRow !== undefined;
}

/** Builds the update that unlocks repositories, unless they are moving. index: repositories primary key */
function buildUnlockQuery(tx: Transaction, projectId: number) {
  return tx
    .updateTable('repositories')
    .set({ read_only: false })
    .where('project_id', '=', projectId)
    .where('move_id', 'is', null);
}

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
  if (!isStored) throwResumeAfterMove(run);
}

/** Creates the wiki if it does not exist, and makes the repositories of the project read-only until the fetch is complete. */
async function startWiki(run: EntityRun, tracker: TrackerRow, project: Project) {
  const { wiki, lockedRepository } = await run.services.database.transaction(async (tx) => {
    await updateTracker(tx, tracker.id, { status: 'started' });
    const wikiRow = await findOrInsertWiki(tx, { project });
    return { wiki: wikiRow, lockedRepository: await lockRepositories(tx, project.id) };
  });
  if (lockedRepository === null) return throwResumeAfterMove(run);
  if (isFailure(wiki)) throw new CallFailed('The repository is temporarily read-only. Please try again later.');
  return { wiki, lockedRepository };
}

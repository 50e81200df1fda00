import { GitError, type GitFailure } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, ZERO_ID } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { deleteRepository, ensureRepository } from '#git/storage/storage.ts';
import { fetchUntrusted } from '#git/transport/fetch.ts';
import { OutboundFailure } from '#outbound-http/index.ts';
import { decideDefaultBranch } from '#repositories/branches/initial-default-branch.ts';
import { recordBulkRefUpdate } from '#repositories/maintenance/maintenance.ts';
import { getRepository } from '#repositories/repository.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { CallFailed, DestinationDeleted, ImportStopped, ResumeLater } from './interruptions.ts';
import { lockRepositories, unlockRepositories, unlockUnmovedRepositories } from './repository-import-lock.ts';
import { failRelation, recordProgress } from './run-relation.ts';
import { type EntityRun, importIds, loadTarget } from './running-entity.ts';
import { resumeLaterOrFail } from './source-calls.ts';
import { type TrackerRow, updateTracker } from './store.ts';

/**
 * Fetches the refs of a project from the source by git (contract/operations.md §1.4 "Git"). Nobody may push meanwhile: the
 * repository is read-only until the fetch is complete and its history is checked. Returns whether it succeeded.
 */

/** The refs that are copied; other refs are internal to the source. */
const REFSPECS = ['heads/*', 'tags/*', 'notes/*', 'merge-requests/*/head'].map((refs) => `+refs/${refs}:refs/${refs}`);

export async function runRepository(run: EntityRun, tracker: TrackerRow): Promise<boolean> {
  const { database, git, log } = run.services;
  const { destination } = await loadTarget(database.forRequest().reader, run);
  const { project } = destination;
  if (project === undefined) throw new DestinationDeleted();
  const locked = await database.transaction(async (tx) => {
    await updateTracker(tx, tracker.id, { status: 'started' });
    return lockRepositories(tx, project.id);
  });
  if (locked === null) return resumeAfterMove(run);
  try {
    const remote = (await resolveRemote(run, tracker, '.git'))!;
    const repository = getRepository(git, { ...project, ...locked });
    await fetchRepository(run, tracker, repository, project, remote);
    const branches = (await listRefs(git, repository, HEADS)).map(({ name: ref, id }) => ({
      ref,
      oldId: ZERO_ID,
      newId: id,
    }));
    await decideDefaultBranch(run.services, project.id, branches);
    const isStored = await database.transaction(async (tx) => {
      if (!(await unlockUnmovedRepositories(tx, project.id, locked))) return false;
      await recordBulkRefUpdate(tx, project.id);
      await updateTracker(tx, tracker.id, { status: 'finished' });
      await recordProgress(tx, run.entity);
      return true;
    });
    if (!isStored) return resumeAfterMove(run);
    log.info({ ...importIds(run), branches: branches.length }, 'A repository was imported');
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

/** Milliseconds until the import tries again while the repository moves. */
const MOVE_RETRY_MS = 30_000;

/** Resumes the import later, because the repository is moving to another storage. */
export function resumeAfterMove({ now }: EntityRun): never {
  throw new ResumeLater(addMilliseconds(now(), MOVE_RETRY_MS));
}

export interface ImportRemote {
  readonly url: string;
  readonly headers: readonly string[];
  readonly resolve: readonly string[];
}

const UPLOAD_PACK_SUFFIX = '/info/refs?service=git-upload-pack';

/**
 * Resolves the URL of the repository after redirects. Each hop is checked as every outbound request is. Git itself follows no
 * redirect and connects only to the checked address. The token is not sent to other servers than the source. Returns null if
 * the response status is one of `missingStatuses`: there is nothing to fetch.
 */
export async function resolveRemote(
  run: EntityRun,
  tracker: TrackerRow,
  suffix: '.git' | '.wiki.git',
  missingStatuses: readonly number[] = [],
): Promise<ImportRemote | null> {
  const { source, entity, token, services, signal } = run;
  const url = `${source.baseUrl}/${entity.source_full_path}${suffix}`;
  const authorization = `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`;
  try {
    const request = { url: `${url}${UPLOAD_PACK_SUFFIX}`, headers: { authorization }, signal };
    const response = await services.outbound.request(request);
    response.body.destroy();
    if (missingStatuses.includes(response.status)) return null;
    if (TEMPORARY_STATUSES.has(response.status)) {
      const hint = { status: response.status, retryAfter: response.headers['retry-after'] ?? null };
      resumeLaterOrFail(run, tracker, 'git', unsuccessfulMessage(response.status), hint);
    }
    if (response.status !== 200) throw new CallFailed(unsuccessfulMessage(response.status));
    const finalUrl = response.url.href.endsWith(UPLOAD_PACK_SUFFIX)
      ? response.url.href.slice(0, -UPLOAD_PACK_SUFFIX.length)
      : null;
    if (finalUrl === null) throw new CallFailed('The repository of the source was redirected to something else');
    const checkedUrl = await services.outbound.check(finalUrl);
    const isSourceOrigin = response.url.origin === new URL(url).origin;
    const { hostname, port, protocol } = checkedUrl.url;
    const addresses = checkedUrl.addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    return {
      url: finalUrl,
      headers: isSourceOrigin ? [`Authorization: ${authorization}`] : [],
      // An IP address needs no name resolution.
      resolve: /^\[|^[\d.]+$/.test(hostname)
        ? []
        : [`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}:${addresses.join(',')}`],
    };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'aborted') throw new ImportStopped();
    if (error.isTemporary) resumeLaterOrFail(run, tracker, 'git', error.message);
    throw new CallFailed(error.kind === 'blocked' ? `URL is blocked: ${error.message}` : error.message);
  }
}

const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const unsuccessfulMessage = (status: number) => `Unsuccessful response ${status} from the repository`;

/** Fetches the complete repository. If its history has gaps, deletes it again and throws CallFailed. */
export async function fetchRepository(
  run: EntityRun,
  tracker: TrackerRow,
  repository: Repository,
  { default_branch: defaultBranch }: { readonly default_branch: string },
  remote: ImportRemote,
): Promise<void> {
  const { git, log } = run.services;
  try {
    await ensureRepository(repository, { defaultBranch });
    await fetchUntrusted(git, repository, remote, REFSPECS, run.signal);
    const fsckResult = await fsck(git, repository, 'connected');
    if (fsckResult.ok) return;
    await deleteRepository(git, repository);
    await ensureRepository(repository, { defaultBranch });
    throw new CallFailed('The history of the repository is not whole');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (run.signal.aborted) throw new ImportStopped();
    const { failure } = error;
    log.warn({ ...importIds(run), failure: failure.kind }, 'A repository could not be fetched');
    const message = `The repository could not be fetched: ${failure.kind}`;
    if (mayBeTemporary(failure)) resumeLaterOrFail(run, tracker, 'git', message);
    throw new CallFailed(message);
  }
}

/** Returns whether a retry may succeed: network and process failures, but no failures of the content. */
const mayBeTemporary = ({ kind }: GitFailure) => kind === 'failed' || kind === 'locked' || kind === 'stopped';

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
import { CallFailed, ComeBack, DestinationGone, Stopped } from './interruptions.ts';
import { beginFilling, endFilling, giveUpFilling } from './repository-import-lock.ts';
import { failRelation, touch } from './run-relation.ts';
import { ids, type Running, targetNow } from './running-entity.ts';
import { comeBackFor } from './source-calls.ts';
import { setTracker, type TrackerRow } from './store.ts';

/**
 * Brings a project's refs from the source by git (contract/operations.md §1.4 "Git"). Nobody may push meanwhile: the
 * repository is read-only until all of it is here and its history is whole. Says whether it is.
 */

/** What is copied; other refs are the source's own affair. */
const REFSPECS = ['heads/*', 'tags/*', 'notes/*', 'merge-requests/*/head'].map((refs) => `+refs/${refs}:refs/${refs}`);

export async function runRepository(running: Running, tracker: TrackerRow): Promise<boolean> {
  const { database, git, log } = running.services;
  const { place } = await targetNow(database.forRequest().reader, running);
  const { project } = place;
  if (project === undefined) throw new DestinationGone();
  const filled = await database.transaction(async (tx) => {
    await setTracker(tx, tracker.id, { status: 'started' });
    return beginFilling(tx, project.id);
  });
  if (filled === null) return whenMoved(running);
  try {
    const remote = (await remoteOf(running, tracker, '.git'))!;
    const repository = getRepository(git, { ...project, ...filled });
    await fetchWhole(running, tracker, repository, project, remote);
    const branches = (await listRefs(git, repository, HEADS)).map(({ name: ref, id }) => ({
      ref,
      oldId: ZERO_ID,
      newId: id,
    }));
    await decideDefaultBranch(running.services, project.id, branches);
    const isThere = await database.transaction(async (tx) => {
      if (!(await endFilling(tx, project.id, filled))) return false;
      await recordBulkRefUpdate(tx, project.id);
      await setTracker(tx, tracker.id, { status: 'finished' });
      await touch(tx, running.entity);
      return true;
    });
    if (!isThere) return whenMoved(running);
    log.info({ ...ids(running), branches: branches.length }, 'A repository was imported');
    return true;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await database.transaction(async (tx) => {
      await giveUpFilling(tx, project.id);
      await recordBulkRefUpdate(tx, project.id);
    });
    await failRelation(running, tracker, error.failure);
    return false;
  }
}

/** Milliseconds. */
const WHILE_IT_MOVES = 30_000;

/** The repository goes to another storage: it is filled where it arrives. */
export function whenMoved({ now }: Running): never {
  throw new ComeBack(addMilliseconds(now(), WHILE_IT_MOVES));
}

export interface ImportRemote {
  readonly url: string;
  readonly headers: readonly string[];
  readonly resolve: readonly string[];
}

const SERVICE = '/info/refs?service=git-upload-pack';

/**
 * Where the repository is after redirects, each of which is looked at as every hop is; git itself follows none, and connects to
 * the address that was looked at. Another server than the source is not told the token. Null: the source has answered with one of
 * `silentOn`, which mean that there is nothing to fetch.
 */
export async function remoteOf(
  running: Running,
  tracker: TrackerRow,
  suffix: '.git' | '.wiki.git',
  silentOn: readonly number[] = [],
): Promise<ImportRemote | null> {
  const { source, entity, token, services, signal } = running;
  const url = `${source.base}/${entity.source_full_path}${suffix}`;
  const authorization = `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`;
  try {
    const wanted = { url: `${url}${SERVICE}`, headers: { authorization }, signal };
    const answer = await services.outbound.request(wanted);
    answer.body.destroy();
    if (silentOn.includes(answer.status)) return null;
    if (PASSING.has(answer.status)) {
      const told = { status: answer.status, retryAfter: answer.headers['retry-after'] ?? null };
      comeBackFor(running, tracker, 'git', unsuccessful(answer.status), told);
    }
    if (answer.status !== 200) throw new CallFailed(unsuccessful(answer.status));
    const asked = answer.url.href.endsWith(SERVICE) ? answer.url.href.slice(0, -SERVICE.length) : null;
    if (asked === null) throw new CallFailed('The repository of the source was redirected to something else');
    const checked = await services.outbound.check(asked);
    const own = answer.url.origin === new URL(url).origin;
    const { hostname, port, protocol } = checked.url;
    const addresses = checked.addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    return {
      url: asked,
      headers: own ? [`Authorization: ${authorization}`] : [],
      // An address needs nobody to look it up.
      resolve: /^\[|^[\d.]+$/.test(hostname)
        ? []
        : [`${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}:${addresses.join(',')}`],
    };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'aborted') throw new Stopped();
    if (error.isTemporary) comeBackFor(running, tracker, 'git', error.message);
    throw new CallFailed(error.kind === 'blocked' ? `URL is blocked: ${error.message}` : error.message);
  }
}

const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const unsuccessful = (status: number) => `Unsuccessful response ${status} from the repository`;

/** All of it is here then, or nothing. */
export async function fetchWhole(
  running: Running,
  tracker: TrackerRow,
  repository: Repository,
  { default_branch: defaultBranch }: { readonly default_branch: string },
  remote: ImportRemote,
): Promise<void> {
  const { git, log } = running.services;
  try {
    await ensureRepository(repository, { defaultBranch });
    await fetchUntrusted(git, repository, remote, REFSPECS, running.signal);
    const checked = await fsck(git, repository, 'connected');
    if (checked.ok) return;
    await deleteRepository(git, repository);
    await ensureRepository(repository, { defaultBranch });
    throw new CallFailed('The history of the repository is not whole');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (running.signal.aborted) throw new Stopped();
    const { failure } = error;
    log.warn({ ...ids(running), failure: failure.kind }, 'A repository could not be fetched');
    const message = `The repository could not be fetched: ${failure.kind}`;
    if (isPassing(failure)) comeBackFor(running, tracker, 'git', message);
    throw new CallFailed(message);
  }
}

/** What is wrong with what came will be wrong again; all else may have been the way. */
const isPassing = ({ kind }: GitFailure) => kind === 'failed' || kind === 'locked' || kind === 'stopped';

import type { SignedInCaller } from '#authentication/caller.ts';
import { reloadAccess } from '#authorization/current-access.ts';
import { findPipeline, mayRunPipelineOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { CommitStatusName } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { listRefsContaining } from '#git/commits/ancestry.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import type { Services } from '#http/services.ts';
import { SCHEME_ERROR } from '#outbound-http/check-url.ts';
import { getRepository } from '#repositories/repository.ts';
import { ClientDisconnected, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { createExternalPipeline } from '../pipelines/index.ts';
import { jobsLockKey, setCommitStatus } from '../processing/index.ts';
import { findNewestPipelineOfCommit, getCommitStatusRow, type StatusRow } from './store.ts';

interface StatusInput
  extends NullablePartial<
    Record<'ref' | 'name' | 'context' | 'target_url' | 'description', string> &
      Record<'coverage' | 'pipeline_id', number>
  > {
  /** The commit id. */
  readonly sha: string;
  readonly state: CommitStatusName;
}

interface StatusCaller {
  readonly caller: SignedInCaller;
  readonly client: RequestClient;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

type StatusErrorCode =
  | 'invalid'
  | 'noRef'
  | 'notAllowed'
  | 'noPipeline'
  | 'nameTaken'
  | 'invalidTransition'
  | 'lockTimeout';

/** Maximum wait for the lock in milliseconds; after that, the request fails. */
const MAX_LOCK_WAIT_MS = 10_000;

/**
 * Stores a commit status in a pipeline of the commit, and creates a pipeline if there is none. Runs under the lock of
 * the project's jobs, and reloads the caller's access in the transaction.
 */
export async function createOrUpdateStatus(
  { git, database, runUnitOfWork, secretKey }: Pick<Services, 'git' | 'database' | 'runUnitOfWork' | 'secretKey'>,
  { caller, client, baseUrl }: StatusCaller,
  project: Project,
  input: StatusInput,
): Promise<StatusRow | Failure<StatusErrorCode>> {
  const urlError = validateTargetUrl(input.target_url ?? null);
  if (urlError !== null) return invalid({ target_url: [urlError] });
  const refWithoutPipeline = await findRefWithoutPipeline(git, database.reader, project, input);
  const key = await secretKey();
  const limitedClient = withMaxWait(client, MAX_LOCK_WAIT_MS);
  try {
    return await runUnitOfWork(
      caller,
      async (uow) => {
        const current = await reloadAccess(uow, caller, project.id);
        const existingPipeline = await findPipelineOfStatus(uow, project.id, input);
        if (existingPipeline === null && input.pipeline_id != null) return fail('noPipeline');
        const branchOrTag = existingPipeline ?? refWithoutPipeline;
        if (branchOrTag === null) return fail('noRef');
        if (!(await mayRunPipelineOn(uow, current.caller, current.project, branchOrTag))) return fail('notAllowed');
        const { user } = caller;
        const pipelineRequest = { ...branchOrTag, sha: input.sha, project: current.project, user, baseUrl };
        const pipeline = existingPipeline ?? (await createExternalPipeline(uow, pipelineRequest, key));
        const id = await setCommitStatus(uow, pipeline, { ...toCommitStatusInput(input), userId: user.id });
        return isFailure(id) ? id : getCommitStatusRow(uow, id);
      },
      { lock: jobsLockKey(project.id), client: limitedClient },
    );
  } catch (error) {
    if (error instanceof ClientDisconnected && limitedClient.isOver) return fail('lockTimeout');
    throw error;
  }
}

function toCommitStatusInput({ name, context, state, target_url, description, coverage }: StatusInput) {
  const details = Object.entries({ target_url, description, coverage }).filter(([, value]) => value != null);
  return { name: name ?? context ?? 'default', state, details: Object.fromEntries(details) };
}

/** Returns an error for a URL that is invalid or not http(s); otherwise null. */
function validateTargetUrl(url: string | null): string | null {
  if (url === null) return null;
  if (!URL.canParse(url)) return 'is blocked: URI is invalid';
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? null : `is blocked: ${SCHEME_ERROR}`;
}

/** Returns the requested pipeline, or else the newest pipeline of the commit (and of the ref, if given). */
async function findPipelineOfStatus(db: Reader, projectId: number, input: StatusInput): Promise<PipelineRow | null> {
  const { sha, pipeline_id } = input;
  const ref = getShortRefName(input);
  if (pipeline_id == null) return findNewestPipelineOfCommit(db, projectId, sha, ref);
  const pipelineRow = await findPipeline(db, projectId, pipeline_id);
  return pipelineRow !== null && pipelineRow.sha === sha && (ref === null || pipelineRow.ref === ref)
    ? pipelineRow
    : null;
}

function getShortRefName({ ref }: StatusInput): string | null {
  if (ref == null) return null;
  const refPrefix = [HEADS, TAGS].find((prefix) => ref.startsWith(prefix));
  return refPrefix === undefined ? ref : ref.slice(refPrefix.length);
}

type BranchOrTag = Columns<'pipelines', 'ref' | 'tag'>;

/** Returns the ref for a commit without a pipeline: the given one, or the first branch that contains it; else null. */
async function findRefWithoutPipeline(
  git: Services['git'],
  db: Reader,
  project: Project,
  input: StatusInput,
): Promise<BranchOrTag | null> {
  if ((await findPipelineOfStatus(db, project.id, input)) !== null) return null;
  const repository = getRepository(git, project);
  const ref = getShortRefName(input);
  if (ref !== null) {
    // A full name decides; a short name of both a branch and a tag means the branch.
    const isTag = input.ref?.startsWith(HEADS) !== true && (await resolveRef(repository, TAGS + ref)) !== null;
    return {
      ref,
      tag: isTag && (input.ref?.startsWith(TAGS) === true || (await findBranchHead(repository, ref)) === null),
    };
  }
  const [firstBranch] = await listRefsContaining(git, repository, input.sha, 'branch');
  return firstBranch === undefined ? null : { ref: firstBranch.slice(HEADS.length), tag: false };
}

/** Returns a client that counts as disconnected after `maxWaitMs`; `isOver` tells whether that time has passed. */
function withMaxWait(client: RequestClient, maxWaitMs: number): RequestClient & { readonly isOver: boolean } {
  const timeoutSignal = AbortSignal.timeout(maxWaitMs);
  return {
    network: client.network,
    measureStall: () => client.measureStall(),
    disconnect: () => client.disconnect(),
    get isDisconnected() {
      return client.isDisconnected || timeoutSignal.aborted;
    },
    get signal() {
      return AbortSignal.any([client.signal, timeoutSignal]);
    },
    get isOver() {
      return timeoutSignal.aborted && !client.isDisconnected;
    },
  };
}

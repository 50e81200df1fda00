import type { SignedInCaller } from '#authentication/caller.ts';
import { standingOf } from '#authorization/current-access.ts';
import { findPipeline, mayRunOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import type { CommitStatusName } from '#database/tables/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { refsContaining } from '#git/commits/ancestry.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { branchTip } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Client, WaiterGone } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { createExternalPipeline } from '../pipelines/index.ts';
import { jobsTurn, postStatus } from '../processing/index.ts';
import { patient } from './lock-timeout.ts';
import { newestOf, readPosted, type StatusRow } from './store.ts';

interface Wish {
  /** The commit's id. */
  readonly sha: string;
  readonly state: CommitStatusName;
  readonly ref?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly context?: string | null | undefined;
  readonly target_url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly coverage?: number | null | undefined;
  readonly pipeline_id?: number | null | undefined;
}

interface By {
  readonly caller: SignedInCaller;
  readonly client: Client;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

type Codes = 'invalid' | 'noRef' | 'notAllowed' | 'noPipeline' | 'taken' | 'impossible' | 'busy';

/** Whoever does not get his turn in so many milliseconds is told so. */
const LONGEST_WAIT = 10_000;

/**
 * Keeps what somebody says of a commit in a pipeline of it, which is made where it has none; those of one project come one
 * after another. His rights are read again where it is kept.
 */
export async function post(
  { git, database, runUnitOfWork, secretKey }: Pick<Services, 'git' | 'database' | 'runUnitOfWork' | 'secretKey'>,
  { caller, client, baseUrl }: By,
  project: Project,
  wish: Wish,
): Promise<StatusRow | Failure<Codes>> {
  const wrong = urlError(wish.target_url ?? null);
  if (wrong !== null) return invalid({ target_url: [wrong] });
  const elsewhere = await refWithoutPipeline(git, database.reader, project, wish);
  const key = await secretKey();
  const waiter = patient(client, LONGEST_WAIT);
  try {
    return await runUnitOfWork(
      caller,
      async (uow) => {
        const now = await standingOf(uow, caller, project.id);
        const known = await pipelineFor(uow, project.id, wish);
        if (known === null && wish.pipeline_id != null) return fail('noPipeline');
        const place = known ?? elsewhere;
        if (place === null) return fail('noRef');
        if (!(await mayRunOn(uow, now.caller, now.project, place))) return fail('notAllowed');
        const { user } = caller;
        const made = { ...place, sha: wish.sha, project: now.project, user, baseUrl };
        const pipeline = known ?? (await createExternalPipeline(uow, made, key));
        const id = await postStatus(uow, pipeline, { ...told(wish), userId: user.id });
        return isFailure(id) ? id : readPosted(uow, id);
      },
      { turn: jobsTurn(project.id), client: waiter },
    );
  } catch (error) {
    if (error instanceof WaiterGone && waiter.isOver) return fail('busy');
    throw error;
  }
}

function told({ name, context, state, target_url, description, coverage }: Wish) {
  const about = Object.entries({ target_url, description, coverage }).filter(([, value]) => value != null);
  return { name: name ?? context ?? 'default', state, about: Object.fromEntries(about) };
}

/** Links that browsers would do something else with than open them are none. */
function urlError(url: string | null): string | null {
  if (url === null) return null;
  if (!URL.canParse(url)) return 'is blocked: URI is invalid';
  const { protocol } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? null : 'is blocked: Only allowed schemes are http, https';
}

/** The pipeline that is meant, or else the newest of the commit, of the ref where one is named. */
async function pipelineFor(db: Reader, projectId: number, wish: Wish): Promise<PipelineRow | null> {
  const { sha, pipeline_id } = wish;
  const ref = shortName(wish);
  if (pipeline_id == null) return newestOf(db, projectId, sha, ref);
  const found = await findPipeline(db, projectId, pipeline_id);
  return found !== null && found.sha === sha && (ref === null || found.ref === ref) ? found : null;
}

function shortName({ ref }: Wish): string | null {
  if (ref == null) return null;
  const full = [HEADS, TAGS].find((prefix) => ref.startsWith(prefix));
  return full === undefined ? ref : ref.slice(full.length);
}

interface Place {
  readonly ref: string;
  readonly tag: boolean;
}

/** The ref for a commit without a pipeline: as it is named, or the first branch that has the commit. Null: none has. */
async function refWithoutPipeline(
  git: Services['git'],
  db: Reader,
  project: Project,
  wish: Wish,
): Promise<Place | null> {
  if ((await pipelineFor(db, project.id, wish)) !== null) return null;
  const repository = repositoryOf(git, project);
  const ref = shortName(wish);
  if (ref !== null) {
    const isTag = wish.ref?.startsWith(HEADS) !== true && (await resolveRef(repository, TAGS + ref)) !== null;
    return { ref, tag: isTag && (wish.ref?.startsWith(TAGS) === true || (await branchTip(repository, ref)) === null) };
  }
  const [first] = await refsContaining(git, repository, wish.sha, 'branch');
  return first === undefined ? null : { ref: first.slice(HEADS.length), tag: false };
}

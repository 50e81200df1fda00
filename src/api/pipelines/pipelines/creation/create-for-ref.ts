import type { EvaluationClient, PipelineVariableInput } from '#api/pipelines/ci-file/index.ts';
import { jobsLockKey } from '#api/pipelines/processing/index.ts';
import { maySetPipelineVariables } from '#api/pipelines/variables/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject, mayUseFeature } from '#authorization/abilities.ts';
import { reloadAccess } from '#authorization/current-access.ts';
import { findPipeline, mayRunPipelineOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { PipelineSource } from '#database/tables/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidRefName, ZERO_ID } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createPipeline, failedPipelineIfInvalid } from './create.ts';
import type { PIPELINE_CREATION_ERRORS } from './errors.ts';
import { findPipelineByOrigin } from './insert.ts';
import {
  isProtectedRef,
  type PipelineOrigin,
  type PipelineRequest,
  type PlanServices,
  planRequestedPipeline,
} from './prepare.ts';

/** A pipeline that somebody asks for. */
interface CreatePipelineInput {
  /** The name of a branch or tag, short or full. */
  readonly ref: string;
  readonly source: PipelineSource;
  /** Those that he sets, which not everybody may. */
  readonly variables?: readonly PipelineVariableInput[];
  /** Those that come along with what he asks by. */
  readonly extraVariables?: readonly PipelineVariableInput[];
  readonly starter?: PipelineOrigin;
  /** Of two with one origin the first is made, and is what both get. */
  readonly origin?: string;
  /** A broken CI file is told by a pipeline that has failed, and not by a refusal. */
  readonly storeIfInvalid?: true;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The client that waits; null for a background job. */
  readonly client: EvaluationClient | null;
}

type CreationErrorCode = keyof typeof PIPELINE_CREATION_ERRORS;

/**
 * Makes a pipeline of a branch or tag for whoever asks for one (contract/runners.md §4.1): nothing is stored when it is
 * refused, in the order of the contract. His rights are read again where it is made.
 */
export async function createPipelineForRef(
  services: Pick<Services, 'git' | 'database' | 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  project: Project,
  {
    ref: requestedRef,
    source,
    variables = [],
    extraVariables = [],
    starter = {},
    origin,
    storeIfInvalid,
    baseUrl,
    client,
  }: CreatePipelineInput,
): Promise<PipelineRow | Failure<CreationErrorCode>> {
  const { runUnitOfWork, secretKey } = services;
  const all = [...variables, ...extraVariables];
  const request = await toPipelineRequest(services, caller, project, {
    ref: requestedRef,
    source,
    starter,
    all,
    baseUrl,
  });
  if (isFailure(request)) return request;
  const plan = await planRequestedPipeline(services, request, client);
  const content = storeIfInvalid ? failedPipelineIfInvalid(plan) : plan;
  if (isFailure(content)) return content;
  const duplicateKey = findDuplicateKey(all);
  if (duplicateKey !== undefined) return fail('duplicate', { key: duplicateKey });
  const setsAny = variables.length > 0;
  if (setsAny && !maySetPipelineVariables(caller, project)) return fail('noVariables');
  const key = await secretKey();
  const make = async (uow: UnitOfWork) => {
    const now = await reloadAccess(uow, caller, project.id);
    if (!(await mayRunPipelineOn(uow, now.caller, now.project, request)))
      return fail('notAllowed', { ref: requestedRef });
    if (setsAny && !maySetPipelineVariables(now.caller, now.project)) return fail('noVariables');
    const createdId = await createPipeline(uow, request, content, { origin: origin ?? null, key });
    const id = createdId ?? (await findPipelineByOrigin(uow, project.id, origin!))!;
    return (await findPipeline(uow, project.id, id))!;
  };
  return runUnitOfWork(caller, make, { lock: jobsLockKey(project.id) });
}

/** Returns the request for the pipeline that a push to the ref by the caller would create. */
export function simulatePush(
  services: PlanServices,
  caller: Caller,
  project: Project,
  context: { readonly ref: string; readonly baseUrl: string },
): Promise<PipelineRequest | Failure<'disabled' | 'notPermitted' | 'notAllowed' | 'noRef'>> {
  return toPipelineRequest(services, caller, project, { ...context, source: 'push', starter: {}, all: [] });
}

interface RefRequest extends Pick<CreatePipelineInput, 'ref' | 'source' | 'baseUrl'> {
  readonly starter: PipelineOrigin;
  readonly all: readonly PipelineVariableInput[];
}

/** The pipeline that is asked for, where he may have one there. */
async function toPipelineRequest(
  { git, database }: PlanServices,
  caller: Caller,
  project: Project,
  { ref: requestedRef, source, starter, all, baseUrl }: RefRequest,
): Promise<PipelineRequest | Failure<'disabled' | 'notPermitted' | 'notAllowed' | 'noRef'>> {
  const db = database.reader;
  if (!mayUseFeature(caller, 'builds', project)) return fail('disabled');
  if (caller.user === null || !mayInProject(caller, 'create_pipeline', project)) return fail('notPermitted');
  const foundRef = await findBranchOrTag(git, project, requestedRef);
  const targetRef = foundRef ?? { ref: requestedRef, tag: false };
  if (!(await mayRunPipelineOn(db, caller, project, targetRef))) return fail('notAllowed', { ref: requestedRef });
  if (foundRef === null) return fail('noRef');
  return {
    ...foundRef,
    ...starter,
    project,
    user: caller.user,
    before_sha: ZERO_ID,
    source,
    protected: await isProtectedRef(db, project.id, foundRef.ref, foundRef.tag),
    variables: all,
    baseUrl,
  };
}

interface FoundRef {
  /** The short name. */
  readonly ref: string;
  readonly tag: boolean;
  readonly sha: string;
}

/** The branch, or else the tag, that a short or full name means; null: neither. */
async function findBranchOrTag(git: Git, project: Project, name: string): Promise<FoundRef | null> {
  const repository = getRepository(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    const tag = ref.startsWith(TAGS);
    const sha = await resolveCommit(git, repository, ref);
    if (sha !== null) return { ref: ref.slice((tag ? TAGS : HEADS).length), tag, sha };
  }
  return null;
}

/** Nothing but a whole ref is looked at: no `~2` behind it. */
async function resolveCommit(
  git: Git,
  repository: ReturnType<typeof getRepository>,
  ref: string,
): Promise<string | null> {
  return isValidRefName(ref) ? resolveRevision(git, repository, ref) : null;
}

/** The first key that comes a second time. */
function findDuplicateKey(variables: readonly PipelineVariableInput[]): string | undefined {
  const keys = new Set<string>();
  return variables.find(({ key }) => keys.size === keys.add(key).size)?.key;
}

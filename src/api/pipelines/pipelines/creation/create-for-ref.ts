import type { EvaluationClient, PipelineVariableInput } from '#api/pipelines/ci-file/index.ts';
import { jobsLockKey } from '#api/pipelines/processing/index.ts';
import { canSetPipelineVariables } from '#api/pipelines/variables/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject, mayUseFeature } from '#authorization/abilities.ts';
import { reloadAccess } from '#authorization/current-access.ts';
import { findPipeline, mayRunPipelineOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { PipelineSource } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidRefName, ZERO_ID } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { type ErrorTable, fillTemplate } from '#http/errors/error-messages.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createPipeline, findPipelineByOrigin, toFailedPipelineIfInvalid } from './create.ts';
import {
  isProtectedRef,
  type PipelineRequest,
  type PipelineStarter,
  type PlanServices,
  planRequestedPipeline,
} from './prepare.ts';

/** A request to create a pipeline. */
interface CreatePipelineInput {
  /** The short or full name of a branch or tag. */
  readonly ref: string;
  readonly source: PipelineSource;
  /** Variables that the user sets, which requires a permission. */
  readonly variables?: readonly PipelineVariableInput[];
  /** Variables that the request itself provides. */
  readonly extraVariables?: readonly PipelineVariableInput[];
  readonly starter?: PipelineStarter;
  /** Idempotency key: if a pipeline with this origin exists, it is returned instead. */
  readonly origin?: string;
  /** An invalid CI file creates a failed pipeline instead of an error. */
  readonly storeIfInvalid?: true;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The waiting client; null for a background job. */
  readonly client: EvaluationClient | null;
}

type CreationErrorCode = keyof typeof PIPELINE_CREATION_ERRORS;

/**
 * Creates a pipeline for a branch or tag (contract/runners.md §4.1). Checks run in the order of the contract; a
 * rejected request stores nothing. The caller's access is reloaded in the transaction.
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
  const allVariables = [...variables, ...extraVariables];
  const request = await toPipelineRequest(services, caller, project, {
    ref: requestedRef,
    source,
    starter,
    variables: allVariables,
    baseUrl,
  });
  if (isFailure(request)) return request;
  const plan = await planRequestedPipeline(services, request, client);
  const content = storeIfInvalid ? toFailedPipelineIfInvalid(plan) : plan;
  if (isFailure(content)) return content;
  const duplicateKey = findDuplicateKey(allVariables);
  if (duplicateKey !== undefined) return fail('duplicate', { key: duplicateKey });
  const setsVariables = variables.length > 0;
  if (setsVariables && !canSetPipelineVariables(caller, project)) return fail('cannotSetVariables');
  const key = await secretKey();
  const create = async (uow: UnitOfWork) => {
    const current = await reloadAccess(uow, caller, project.id);
    if (!(await mayRunPipelineOn(uow, current.caller, current.project, request)))
      return fail('notAllowed', { ref: requestedRef });
    if (setsVariables && !canSetPipelineVariables(current.caller, current.project)) return fail('cannotSetVariables');
    const createdId = await createPipeline(uow, request, content, { origin: origin ?? null, key });
    // No id is returned if a pipeline with this idempotency key exists.
    const id = createdId ?? (await findPipelineByOrigin(uow, project.id, origin!))!;
    return (await findPipeline(uow, project.id, id))!;
  };
  return runUnitOfWork(caller, create, { lock: jobsLockKey(project.id) });
}

/** Returns the request for the pipeline that a push to the ref by the caller would create. */
export function simulatePush(
  services: PlanServices,
  caller: Caller,
  project: Project,
  context: { readonly ref: string; readonly baseUrl: string },
): Promise<PipelineRequest | Failure<'disabled' | 'notPermitted' | 'notAllowed' | 'noRef'>> {
  return toPipelineRequest(services, caller, project, { ...context, source: 'push', starter: {}, variables: [] });
}

interface RefRequest extends Pick<CreatePipelineInput, 'ref' | 'source' | 'baseUrl'> {
  readonly starter: PipelineStarter;
  readonly variables: readonly PipelineVariableInput[];
}

/** Returns the request for the pipeline, if the caller may run one on the ref. */
async function toPipelineRequest(
  { git, database }: PlanServices,
  caller: Caller,
  project: Project,
  { ref: requestedRef, source, starter, variables, baseUrl }: RefRequest,
): Promise<PipelineRequest | Failure<'disabled' | 'notPermitted' | 'notAllowed' | 'noRef'>> {
  const db = database.reader;
  if (!mayUseFeature(caller, 'builds', project)) return fail('disabled');
  if (caller.user === null || !mayInProject(caller, 'create_pipeline', project)) return fail('notPermitted');
  const branchOrTag = await findBranchOrTag(git, project, requestedRef);
  const targetRef = branchOrTag ?? { ref: requestedRef, tag: false };
  if (!(await mayRunPipelineOn(db, caller, project, targetRef))) return fail('notAllowed', { ref: requestedRef });
  if (branchOrTag === null) return fail('noRef');
  return {
    ...branchOrTag,
    ...starter,
    project,
    user: caller.user,
    before_sha: ZERO_ID,
    source,
    protected: await isProtectedRef(db, project.id, branchOrTag.ref, branchOrTag.tag),
    variables,
    baseUrl,
  };
}

/** An existing branch or tag and its commit. */
interface BranchOrTag {
  /** The short name. */
  readonly ref: string;
  readonly tag: boolean;
  readonly sha: string;
}

/** Returns the branch, else the tag, with this short or full name; null if there is neither. */
async function findBranchOrTag(git: Git, project: Project, name: string): Promise<BranchOrTag | null> {
  const repository = getRepository(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    const tag = ref.startsWith(TAGS);
    const sha = await resolveCommit(git, repository, ref);
    if (sha !== null) return { ref: ref.slice((tag ? TAGS : HEADS).length), tag, sha };
  }
  return null;
}

/** Returns the commit id of a full ref name, or null. Revisions such as `main~2` are rejected. */
async function resolveCommit(
  git: Git,
  repository: ReturnType<typeof getRepository>,
  ref: string,
): Promise<string | null> {
  return isValidRefName(ref) ? resolveRevision(git, repository, ref) : null;
}

/** Returns the first key that occurs twice, or undefined. */
function findDuplicateKey(variables: readonly PipelineVariableInput[]): string | undefined {
  const keys = new Set<string>();
  // Adding a key a second time leaves the size unchanged.
  return variables.find(({ key }) => keys.size === keys.add(key).size)?.key;
}

const baseError = (text: string) => [400, { message: { base: [text] } }] as const;

/** Errors of pipeline creation (contract/runners.md §4.1), in the order of the checks. */
export const PIPELINE_CREATION_ERRORS = {
  disabled: baseError('Pipelines are disabled!'),
  notPermitted: baseError('Insufficient permissions to create a new pipeline'),
  notAllowed: baseError(
    "You do not have sufficient permission to run a pipeline on '{ref}'. Please select a different branch or contact your administrator for assistance.",
  ),
  noRef: baseError('Reference not found'),
  noFile: baseError('Missing CI config file'),
  /** The first error of the CI file. */
  invalid: baseError('{text}'),
  empty: baseError(
    'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
  ),
  excludedByRules: baseError('The pipeline did not run. Review the workflow:rules configuration for the pipeline.'),
  duplicate: baseError('Duplicate variable name: {key}'),
  cannotSetVariables: baseError('Insufficient permissions to set pipeline variables'),
} as const satisfies ErrorTable;

/** Formats the error as plain text. */
export function formatCreationError({ code, values }: Failure<keyof typeof PIPELINE_CREATION_ERRORS>): string {
  return String(fillTemplate(PIPELINE_CREATION_ERRORS[code][1].message.base[0]!, values));
}

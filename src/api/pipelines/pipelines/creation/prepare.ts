import {
  type CiFileEvaluation,
  type CiFileSources,
  type CiVariable,
  type ContextNeeds,
  type EvaluationClient,
  evaluateInThread,
  MAX_FILE_LENGTH,
  type PathSource,
  type PipelineVariableInput,
  type PlanContextData,
  type ReadFile,
  type StoredPlan,
  TOO_LARGE,
} from '#api/pipelines/ci-file/index.ts';
import { loadStoredVariablesForPipeline } from '#api/pipelines/variables/index.ts';
import type { Caller, CallerUser } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findMatchingRules } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { isProtectedTag, listTagRules } from '#authorization/protected-tags.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { computeMergeBase } from '#git/commits/ancestry.ts';
import { listChangedPaths } from '#git/diff/changed-files.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommit, readObject } from '#git/objects/object-reader.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { listTree } from '#git/trees/tree-list.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { buildPredefinedVariables, getConfigPath, type PipelineFields } from './predefined-variables.ts';

/** Maximum number of paths that rules compare with; if there are more, every path counts as changed and existing. */
const MAX_PATHS = 10_000;

/** The trigger or schedule that creates a pipeline. */
export interface PipelineStarter extends Pick<PipelineFields, 'trigger_token' | 'schedule_description'> {
  readonly trigger_id?: number;
  readonly schedule_id?: number;
}

export type PlanServices = Pick<Services, 'git' | 'database' | 'secretKey'>;

/** A requested pipeline, before its content is known. */
export interface PipelineRequest extends PipelineFields, PipelineStarter {
  readonly project: Project;
  readonly user: CallerUser;
  readonly variables: readonly PipelineVariableInput[];
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Plans the pipeline of a commit from its CI file. `client` is null for a background job. Fails if the commit or the file
 * does not exist, if the file or its jobs are invalid (`text`), if rules exclude the pipeline, or if no job would run.
 */
export async function planRequestedPipeline(
  services: PlanServices,
  request: PipelineRequest,
  client: EvaluationClient | null,
): Promise<StoredPlan | Failure<PlanFailure>> {
  const { git } = services;
  const repository = getRepository(git, request.project);
  const commit = await readCommit(git, repository, request.sha);
  if (commit === null) return fail('noFile');
  const task = { path: getConfigPath(request.project), plan: true, merge: false, listJobs: false };
  const sources = createPlanSources(services, request, commit, createFileReader(git, repository, request.sha));
  return toPlan(await evaluateInThread(task, sources, client));
}

type PlanFailure = 'noFile' | 'invalid' | 'excludedByRules' | 'empty';

/** Returns the plan of an evaluation, or why there is none. */
export function toPlan({ outcome, plan }: CiFileEvaluation): StoredPlan | Failure<PlanFailure> {
  if (outcome === 'valid') return plan!;
  if (outcome === 'missing') return fail('noFile');
  if (outcome === 'excluded') return fail('excludedByRules');
  return outcome === 'empty' ? fail('empty') : fail('invalid', { text: outcome.invalid });
}

/** Returns the sources for evaluating a CI file; `readFile` reads the file and its includes. */
export function createPlanSources(
  services: PlanServices,
  request: PipelineRequest,
  commit: Commit,
  readFile: ReadFile,
): CiFileSources {
  return {
    readFile,
    loadContext: (needs) => loadPlanContext(services, request, commit, needs),
    loadPaths: (source) => loadRulePaths(services, request, source),
  };
}

async function loadPlanContext(
  services: PlanServices,
  request: PipelineRequest,
  commit: Commit,
  { changes, exists, environments }: ContextNeeds,
): Promise<PlanContextData | { readonly invalid: string }> {
  const { git } = services;
  const repository = getRepository(git, request.project);
  const storedVariables = await loadStoredVariablesForPipeline(services, request.project, {
    protected: request.protected,
    hasEnvironments: environments,
  });
  if (storedVariables === null) return { invalid: VARIABLES_TOO_LARGE };
  return {
    ref: request.ref,
    tag: request.tag,
    source: request.source,
    projectPath: request.project.full_path,
    isProtectedRef: request.protected,
    predefinedVariables: [
      ...buildPredefinedVariables(request.baseUrl, request.project, request, commit),
      ...buildUserVariables(request.user),
    ],
    storedVariables,
    pipelineVariables: request.variables.map(toCiVariable),
    changedPaths: changes ? await findChangedPaths(git, repository, request) : null,
    files: exists ? await listPathsAtCommit(git, repository, commit) : null,
  };
}

/**
 * Loads the paths that a rule compares with (contract/pipelines-composition.md §6). Returns null if there are too many
 * paths or no merge base, or an error text. Its `{project}` and `{ref}` stand for names that may contain masked
 * variables.
 */
async function loadRulePaths(
  { git, database }: PlanServices,
  { project, user, sha }: PipelineRequest,
  source: PathSource,
): Promise<string[] | null | string> {
  if ('compareTo' in source) {
    const repository = getRepository(git, project);
    const baseSha = await resolveRevision(git, repository, source.compareTo);
    if (baseSha === null) return 'rules:changes:compare_to is not a valid ref';
    const mergeBase = await computeMergeBase(git, repository, [baseSha, sha]);
    return mergeBase && listChangedPaths(git, repository, { from: mergeBase, to: sha, maxPaths: MAX_PATHS });
  }
  // The author of the file chooses the project, so an administrator's rights count only in the project of the file.
  const isOwnProject = foldCase(source.project) === foldCase(project.full_path);
  const caller: Caller = { user: { ...user, admin: user.admin && isOwnProject }, token: null, address: null };
  const other = source.project.includes('/') ? await findProject(database.reader, caller, source.project) : null;
  if (other === null || !canSeeProject(caller, other) || !mayInProject(caller, 'read_code', other))
    return 'rules:exists:project `{project}` not found or access denied';
  const repository = getRepository(git, other);
  const otherSha = await resolveRevision(git, repository, source.ref ?? 'HEAD');
  // Without a `ref`, an empty repository is not an error.
  if (otherSha === null && source.ref === null) return [];
  const commit = otherSha === null ? null : await readCommit(git, repository, otherSha);
  if (commit === null) return 'rules:exists:ref `{ref}` is not a valid ref in project `{project}`';
  return listPathsAtCommit(git, repository, commit);
}

const VARIABLES_TOO_LARGE = 'The CI/CD variables are too large';

/** Returns whether a protection rule of branches or tags matches the ref. */
export async function isProtectedRef(db: Reader, projectId: number, ref: string, tag: boolean): Promise<boolean> {
  if (tag) return isProtectedTag(await listTagRules(db, projectId), ref);
  return findMatchingRules(await listProtectionRules(db, projectId), ref).length > 0;
}

function buildUserVariables({ id, username, name }: CallerUser): CiVariable[] {
  return [
    { key: 'GITLAB_USER_ID', value: String(id) },
    { key: 'GITLAB_USER_LOGIN', value: username },
    { key: 'GITLAB_USER_NAME', value: name },
  ];
}

function toCiVariable({ key, value, variable_type, raw }: PipelineVariableInput): CiVariable {
  return { key, value, raw, file: variable_type === 'file' };
}

/** Returns the paths that a push changed; null if there is no earlier commit to compare with. */
async function findChangedPaths(
  git: Git,
  repository: Repository,
  { before_sha, sha }: PipelineRequest,
): Promise<string[] | null> {
  if (before_sha === ZERO_ID || (await readCommit(git, repository, before_sha)) === null) return null;
  return listChangedPaths(git, repository, { from: before_sha, to: sha, maxPaths: MAX_PATHS });
}

/** Returns all paths of the commit; null if there are too many. */
async function listPathsAtCommit(git: Git, repository: Repository, { treeId }: Commit): Promise<string[] | null> {
  // One more than the limit shows that there are too many.
  const maxPaths = MAX_PATHS + 1;
  const list = await listTree(git, repository, treeId, {
    isRecursive: true,
    requestedEntries: { maxEntries: maxPaths, maxCounted: maxPaths },
  });
  if (list === null || list.length > MAX_PATHS) return null;
  // `slice` reads the entries, which are stored in a compact form.
  const entries = list.slice(0, list.length);
  return entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
}

/** Creates a function that reads CI files and their includes at a commit. Symbolic links count as missing. */
export function createFileReader(git: Git, repository: Repository, commit: string): ReadFile {
  return async (path) => {
    const entry = await findEntryAtPath(git, repository, commit, path);
    if (entry?.type !== 'blob' || entry.mode === SYMLINK_MODE) return null;
    // UTF-8 uses up to four bytes per character, so this limit rejects no text within the character limit.
    const object = await readObject(git, repository, entry.id, MAX_FILE_LENGTH * 4);
    if (object === null) return null;
    return object.content === null ? TOO_LARGE : object.content.toString('utf8');
  };
}

const SYMLINK_MODE = '120000';

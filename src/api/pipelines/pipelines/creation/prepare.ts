import {
  type CiVariable,
  type PipelinePlan,
  type PipelineVariableInput,
  planPipeline,
  readCiFile,
} from '#api/pipelines/ci-file/index.ts';
import { variablesForPipeline } from '#api/pipelines/variables/index.ts';
import type { CallerUser } from '#authentication/caller.ts';
import { matchingRules } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { listChangedPaths } from '#git/diff/changed-paths.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommit } from '#git/objects/object-reader.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { listTree } from '#git/trees/tree-list.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { createFileReader } from './config-file.ts';
import { buildPredefinedVariables, getConfigPath, type PipelineSubject } from './predefined-variables.ts';

/** Of more paths nobody says whether one has changed, or is there. */
const MAX_PATHS = 10_000;

/** The trigger or schedule that a pipeline is made by. */
export interface PipelineOrigin extends Pick<PipelineSubject, 'trigger_token' | 'schedule_description'> {
  readonly trigger_id?: number;
  readonly schedule_id?: number;
}

export type PlanServices = Pick<Services, 'git' | 'database' | 'secretKey'>;

/** A pipeline that somebody wants, before it is known what is in it. */
export interface PipelineRequest extends PipelineSubject, PipelineOrigin {
  readonly project: Project;
  readonly user: CallerUser;
  readonly variables: readonly PipelineVariableInput[];
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/**
 * What the pipeline of a commit consists of, by its CI file. Failure: there is no such commit or file; the file, or what is
 * left of it, is invalid (`text`); its rules want no pipeline; there is nothing to run. `read`: another file than that of the
 * commit.
 */
export async function planRequestedPipeline(
  services: PlanServices,
  request: PipelineRequest,
  read = () => readConfigOf(services.git, request),
): Promise<PipelinePlan | Failure<'noFile' | 'invalid' | 'unwanted' | 'empty'>> {
  const { git } = services;
  const repository = getRepository(git, request.project);
  const commit = await readCommit(git, repository, request.sha);
  if (commit === null) return fail('noFile');
  const configuration = await read();
  if (configuration === null) return fail('noFile');
  if ('invalid' in configuration) return fail('invalid', { text: configuration.invalid });
  const hasEnvironments = configuration.jobs.some(({ environment }) => environment !== null);
  const storedVariables = await variablesForPipeline(services, request.project, {
    protected: request.protected,
    hasEnvironments,
  });
  if (storedVariables === null) return fail('invalid', { text: VARIABLES_TOO_LARGE });
  const { changes, exists } = configuration.usesPaths;
  const plan = await planPipeline(configuration, {
    ref: request.ref,
    tag: request.tag,
    source: request.source,
    projectPath: request.project.full_path,
    predefined: [
      ...buildPredefinedVariables(request.baseUrl, request.project, request, commit),
      ...userVariables(request.user),
    ],
    storedVariables,
    pipelineVariables: request.variables.map(toCiVariable),
    changedPaths: changes ? await findChangedPaths(git, repository, request) : null,
    files: exists ? await listPathsAtCommit(git, repository, commit) : null,
  });
  if (plan === 'refused') return fail('unwanted');
  if (plan === 'empty') return fail('empty');
  return 'invalid' in plan ? fail('invalid', { text: plan.invalid }) : plan;
}

const VARIABLES_TOO_LARGE = 'The CI/CD variables are too large';

function readConfigOf(git: Git, { project, sha }: PipelineRequest) {
  return readCiFile(getConfigPath(project), createFileReader(git, getRepository(git, project), sha));
}

/** Is the ref one that rules protect? Tags are nobody's. */
export async function isProtectedRef(db: Reader, projectId: number, ref: string, tag: boolean): Promise<boolean> {
  return !tag && matchingRules(await listProtectionRules(db, projectId), ref).length > 0;
}

function userVariables({ id, username, name }: CallerUser): CiVariable[] {
  return [
    { key: 'GITLAB_USER_ID', value: String(id) },
    { key: 'GITLAB_USER_LOGIN', value: username },
    { key: 'GITLAB_USER_NAME', value: name },
  ];
}

function toCiVariable({ key, value, variable_type, raw }: PipelineVariableInput): CiVariable {
  return { key, value, raw, file: variable_type === 'file' };
}

/** What a push has changed; null where there is nothing before it to compare with. */
async function findChangedPaths(
  git: Git,
  repository: Repository,
  { before_sha, sha }: PipelineRequest,
): Promise<string[] | null> {
  if (before_sha === ZERO_ID || (await readCommit(git, repository, before_sha)) === null) return null;
  return listChangedPaths(git, repository, { from: before_sha, to: sha, most: MAX_PATHS });
}

/** All files of the commit; null when they are too many to look at. */
async function listPathsAtCommit(git: Git, repository: Repository, { treeId }: Commit): Promise<string[] | null> {
  const most = MAX_PATHS + 1;
  const list = await listTree(git, repository, treeId, { deep: true, wanted: { entries: most, counted: most } });
  if (list === null || list.length > MAX_PATHS) return null;
  return list
    .slice(0, list.length)
    .filter(({ type }) => type === 'blob')
    .map(({ path }) => path);
}

import { createHash } from 'node:crypto';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { findEnvironmentByName } from '#domain/environments.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findLastCommit } from '#git/trees/path-entries.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt } from '#security/encryption.ts';
import { expandVariables, type JobCache } from '../ci-file/index.ts';
import type { FailureReason } from '../jobs/index.ts';
import { buildPredefinedVariables, listEncryptedVariables } from '../pipelines/index.ts';
import { changeJobStatus, jobsLockKey } from '../processing/index.ts';
import { listRunnerTags } from '../runners/index.ts';
import { loadStoredVariablesForJob } from '../variables/index.ts';
import {
  type ClaimedJob,
  countPendingJobs,
  countRunningOnInstanceRunners,
  type RequestingRunner,
} from './claim-job.ts';
import { buildJobPayload, buildRunnerVariables, expandEnvironmentUrl, type RunnerVariable } from './payload.ts';
import { createPipelineRef } from './pipeline-ref.ts';
import { getRootNamespaceId, listJobVariables, listOpenMergeRequestReferences, type RunnableJob } from './store.ts';

type DeliveryServices = Pick<Services, 'database' | 'git' | 'runUnitOfWork' | 'secretKey'>;

/**
 * Builds the payload of a claimed job; `baseUrl` has no trailing slash. The job is already running: if the payload cannot
 * be built, the job fails immediately instead of at its timeout.
 */
export async function buildPayloadOrFailJob(
  services: Pick<Services, 'database' | 'git' | 'runUnitOfWork' | 'log' | 'secretKey'>,
  requester: RequestingRunner,
  claimedJob: ClaimedJob,
  baseUrl: string,
): Promise<object | Failure<'failed'>> {
  try {
    return await buildPayload(services, requester, claimedJob, baseUrl);
  } catch (error) {
    const { id, project_id } = claimedJob.job;
    services.log.error(
      { err: error, job: id },
      'The payload of a job could not be built; the job fails with scheduler_failure',
    );
    const changes = { failure_reason: 'scheduler_failure' satisfies FailureReason };
    const lock = jobsLockKey(project_id);
    await services.runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, id, ['running'], 'failed', changes), {
      lock,
      // A full write queue must not leave the job running without a runner.
      exemptFromLimit: true,
    });
    return fail('failed');
  }
}

async function buildPayload(
  services: DeliveryServices,
  { runner }: RequestingRunner,
  claimedJob: ClaimedJob,
  baseUrl: string,
): Promise<object> {
  const { job, token, timeout, startedAt } = claimedJob;
  const db = services.database.reader;
  const caller = await loadCaller(db, job.user_id, null);
  const project = await findProject(db, caller, String(job.project_id));
  if (project === null) throw new Error(`Project ${job.project_id} of running job ${job.id} does not exist`);
  const hasRef = await createPipelineRef(services, project, job);
  const repositoryUrl = buildRepositoryUrl(baseUrl, project, token);
  const onInstanceRunners =
    runner.runner_type === 'instance_type' ? await countRunningOnInstanceRunners(db, project.id) : null;
  const unexpandedVariables = buildRunnerVariables({
    ...(await loadVariableSources(services, job, project, baseUrl)),
    baseUrl,
    projectPath: project.full_path,
    job,
    token,
    startedAt,
    repositoryUrl,
    runner,
    tags: await listRunnerTags(db, runner.id),
  });
  const attributes = parseStoredAttributes(project);
  const variables = expandVariables(unexpandedVariables);
  await storeDerivedColumns(services, job, {
    environment_url: expandEnvironmentUrl(job, unexpandedVariables),
    debug_mode: isDebugMode(variables),
  });
  return buildJobPayload({
    baseUrl,
    secretKey: await services.secretKey(),
    project,
    rootNamespaceId: await getRootNamespaceId(db, project.namespace_id),
    job,
    token,
    timeout,
    startedAt,
    queue: { size: 1 + (await countPendingJobs(db, runner)), depth: claimedJob.attempts, onInstanceRunners },
    repositoryUrl,
    hasPipelineRef: hasRef,
    variables,
    cacheKeys: await Promise.all(
      (job.options.cache ?? []).map((cache) => resolveCacheKey(services.git, project, job.sha, cache)),
    ),
    isTrusted: job.protected || (canSeeProject(caller, project) && getProjectRole(caller, project) >= MAINTAINER),
    gitDepth: getGitDepth(variables, attributes.ci_default_git_depth),
    separatedCaches: attributes.ci_separated_caches,
    allowGitFetch: attributes.build_git_strategy === 'fetch',
    dependencies: claimedJob.dependencies,
  });
}

/**
 * Stores the columns that depend on the variables of a job: the URL that the environment gets when the job succeeds, and
 * whether the log is in debug mode. index: jobs primary key
 */
async function storeDerivedColumns(
  { database }: Pick<Services, 'database'>,
  { id }: RunnableJob,
  columns: { readonly environment_url: string | null; readonly debug_mode: boolean },
): Promise<void> {
  if (columns.environment_url === null && !columns.debug_mode) return;
  await database.transaction((tx) => tx.updateTable('jobs').set(columns).where('id', '=', id).execute());
}

const DEBUG_VARIABLES: readonly string[] = ['CI_DEBUG_TRACE', 'CI_DEBUG_SERVICES'];

/** Returns whether a variable switches on debug output of the runner or of the services of the job. */
function isDebugMode(variables: readonly RunnerVariable[]): boolean {
  const values = new Map(variables.map(({ key, value }) => [key, value]));
  return DEBUG_VARIABLES.some((key) => /^(?:true|t|yes|y|on|1)$/i.test(values.get(key) ?? ''));
}

/** Returns the repository URL with the job's credentials. */
function buildRepositoryUrl(baseUrl: string, project: Project, token: string): string {
  const url = new URL(`${baseUrl}/${project.full_path}.git`);
  url.username = 'gitlab-ci-token';
  url.password = token;
  return url.href;
}

/** Loads the variables of a job and the data for its predefined variables. Throws if stored variables are too large. */
async function loadVariableSources(
  services: Pick<Services, 'database' | 'git' | 'secretKey'>,
  job: RunnableJob,
  project: Project,
  baseUrl: string,
) {
  const db = services.database.reader;
  const secretKey = await services.secretKey();
  const commit = await readCommit(services.git, getRepository(services.git, project), job.sha);
  const decryptedPipelineVariables = (await listEncryptedVariables(db, job.pipeline_id)).map(
    ({ variable_type, raw, ...variable }) => ({
      key: variable.key,
      value: decrypt(secretKey, variable.value, ENCRYPTED_COLUMNS.pipelineVariable.buildContext({})),
      raw: Boolean(raw),
      file: variable_type === 'file',
    }),
  );
  const decryptedJobVariables = (await listJobVariables(db, job.id)).map((variable) => ({
    key: variable.key,
    value: decrypt(secretKey, variable.value, ENCRYPTED_COLUMNS.jobVariable.buildContext({})),
  }));
  const storedVariables = await loadStoredVariablesForJob(services, project, {
    protected: Boolean(job.protected),
    environment: job.environment,
  });
  if (storedVariables === null) throw new Error('The CI/CD variables are too large');
  return {
    predefinedVariables: commit === null ? [] : buildPredefinedVariables(baseUrl, project, job, commit),
    storedVariables,
    pipelineVariables: decryptedPipelineVariables,
    jobVariables: decryptedJobVariables,
    environment: job.environment === null ? null : await findEnvironmentByName(db, project.id, job.environment),
    mergeRequests: job.tag ? [] : await listOpenMergeRequestReferences(db, project.id, job.ref),
  };
}

/** Returns the depth from the variable GIT_DEPTH, else the project's default. */
function getGitDepth(
  variables: readonly { readonly key: string; readonly value: string }[],
  defaultDepth: number,
): number {
  const depth = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value ?? '';
  return /^\d{1,9}$/.test(depth) ? Number(depth) : defaultDepth;
}

/** Resolves a cache key. A key made of files changes with the last commits that changed these files. */
async function resolveCacheKey(git: Git, project: Project, sha: string, { key }: JobCache): Promise<string> {
  if (typeof key === 'string') return key;
  const repository = getRepository(git, project);
  const commits = await Promise.all(key.files.map((path) => findLastCommit(git, repository, sha, path)));
  const commitIds = commits.filter((commitId) => commitId !== null);
  // Without a commit, none of the files exists.
  const digest = commitIds.length > 0 ? createHash('sha1').update(commitIds.join('-')).digest('hex') : 'default';
  return key.prefix ? `${key.prefix}-${digest}` : digest;
}

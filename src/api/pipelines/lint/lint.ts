import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import {
  type CiFileInspection,
  fileTooLarge,
  inspectCiFile,
  type ReadFile,
  tooManyJobs,
  toYaml,
} from '../ci-file/index.ts';
import {
  createFileReader,
  formatCreationError,
  getConfigPath,
  type PlanServices,
  planPipelineForRef,
} from '../pipelines/index.ts';
import type { CiLintResult, LintedJob } from './entities.ts';
import { listJobsOfFile, listJobsOfPlan } from './jobs.ts';

export interface LintRequest {
  /** The commit at which files are read; null: there is no commit. */
  readonly sha: string | null;
  /** Replaces the content of the CI file. */
  readonly content?: string;
  /** The ref of the simulated push; null: only the file is checked. */
  readonly dryRunRef: string | null;
  readonly includeJobs: boolean;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** Checks a CI file like pipeline creation does, and stores nothing. */
export async function lintFile(
  services: PlanServices,
  caller: Caller,
  project: Project,
  request: LintRequest,
): Promise<CiLintResult> {
  const inspected = await inspectCiFile(getConfigPath(project), createReader(services, project, request));
  const found = await findJobsOrError(services, caller, project, request, inspected);
  const isError = typeof found === 'string';
  return {
    errors: isError ? [found] : [],
    yaml: inspected?.merged == null ? null : await toYaml(inspected.merged),
    includes: inspected?.includes ?? [],
    at: { project: project.full_path, sha: request.sha },
    jobs: request.includeJobs ? (isError ? [] : found) : null,
  };
}

function createReader({ git }: PlanServices, project: Project, { sha, content }: LintRequest): ReadFile {
  const stored: ReadFile = sha === null ? async () => null : createFileReader(git, getRepository(git, project), sha);
  if (content === undefined) return stored;
  const path = getConfigPath(project);
  return async (each) => (each === path ? content : stored(each));
}

/** Returns the jobs, if requested, or the first error. */
async function findJobsOrError(
  services: PlanServices,
  caller: Caller,
  project: Project,
  { dryRunRef, baseUrl, includeJobs }: LintRequest,
  inspected: CiFileInspection | null,
): Promise<LintedJob[] | string> {
  const configuration = inspected?.configuration ?? null;
  if (dryRunRef !== null) {
    const plan = await planPipelineForRef(services, caller, project, { ref: dryRunRef, baseUrl }, configuration);
    if (isFailure(plan)) return formatCreationError(plan);
    return includeJobs ? limitScripts(listJobsOfPlan(plan)) : [];
  }
  if (configuration === null) return 'Please provide content of .gitlab-ci.yml';
  if ('invalid' in configuration) return configuration.invalid;
  if (!includeJobs) return [];
  const jobs = listJobsOfFile(configuration, inspected!.merged!);
  return jobs === null ? tooManyJobs().message : limitScripts(jobs);
}

/** Limit for the total length of scripts: shared scripts are repeated for each job. */
const MAX_SCRIPT_LENGTH = 4 * 1024 * 1024;

function limitScripts(jobs: LintedJob[]): LintedJob[] | string {
  let length = 0;
  for (const { before_script, script, after_script } of jobs) {
    for (const lines of [before_script, script, after_script]) {
      for (const line of lines) length += line.length + 1;
      if (length > MAX_SCRIPT_LENGTH) return fileTooLarge().message;
    }
  }
  return jobs;
}

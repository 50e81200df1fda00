import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { getRepository } from '#repositories/repository.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import {
  type CiFileEvaluation,
  type CiFileSources,
  type EvaluationClient,
  evaluateInThread,
  type ReadFile,
} from '../ci-file/index.ts';
import {
  createFileReader,
  createPlanSources,
  formatCreationError,
  getConfigPath,
  type PlanServices,
  simulatePush,
  toPlan,
} from '../pipelines/index.ts';
import type { CiLintResult } from './entities.ts';

const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

/** The CI file to check, and the options of the check. */
interface LintRequest {
  /** The commit at which files are read; null: there is no commit. */
  readonly sha: string | null;
  /** Replaces the content of the CI file. */
  readonly content?: string;
  /** The branch or tag whose push is simulated; null: only the file is checked. */
  readonly dryRunRef: string | null;
  readonly includeJobs: boolean;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly client: EvaluationClient;
}

/** Checks a CI file like pipeline creation does, and stores nothing. */
export async function lintFile(
  services: PlanServices,
  caller: Caller,
  project: Project,
  request: LintRequest,
): Promise<CiLintResult> {
  const path = getConfigPath(project);
  const readFile = createReader(services, project, request);
  const dryRun = await prepareDryRun(services, caller, project, request, readFile);
  const isPlanned = 'sources' in dryRun;
  const task = {
    path,
    plan: isPlanned,
    merge: true,
    listJobs: request.includeJobs && (isPlanned || request.dryRunRef === null),
  };
  const evaluate = () => evaluateInThread(task, isPlanned ? dryRun.sources : { readFile }, request.client);
  const isCacheable = !isPlanned && request.content === undefined && request.sha !== null;
  const cacheKey = `${project.id} ${request.sha} ${task.listJobs} ${path}`;
  const evaluation = isCacheable ? await evaluateOnce(cacheKey, evaluate) : await evaluate();
  const error = 'error' in dryRun ? dryRun.error : findError(evaluation, isPlanned);
  return {
    errors: error === null ? [] : [error],
    yaml: evaluation.merged,
    includes: evaluation.includes,
    warnings: evaluation.warnings,
    source: { project: project.full_path, sha: request.sha },
    jobs: request.includeJobs ? (error === null ? (evaluation.jobs ?? []) : []) : null,
  };
}

/**
 * Cache of evaluations of files at a commit, which do not change; even anonymous callers may request them repeatedly.
 */
const evaluationsByKey = createBoundedCache<CiFileEvaluation>(MAX_CACHED_CHARACTERS, measureEvaluation);

async function evaluateOnce(key: string, evaluate: () => Promise<CiFileEvaluation>): Promise<CiFileEvaluation> {
  const cachedEvaluation = evaluationsByKey.get(key);
  if (cachedEvaluation !== undefined) return cachedEvaluation;
  const evaluation = await evaluate();
  evaluationsByKey.set(key, evaluation);
  return evaluation;
}

/** Returns the approximate memory size in characters, with an estimate for the objects of each text and job. */
function measureEvaluation({ merged, includes, warnings, jobs }: CiFileEvaluation): number {
  const lines = (jobs ?? []).flatMap(({ before_script, script, after_script }) => [
    ...before_script,
    ...script,
    ...after_script,
  ]);
  const texts = [merged ?? '', ...includes, ...warnings, ...lines];
  return texts.reduce((sum, text) => sum + text.length + 50, 500 * ((jobs?.length ?? 0) + 1));
}

function createReader({ git }: PlanServices, project: Project, { sha, content }: LintRequest): ReadFile {
  const readStoredFile: ReadFile =
    sha === null ? async () => null : createFileReader(git, getRepository(git, project), sha);
  if (content === undefined) return readStoredFile;
  const path = getConfigPath(project);
  return async (readPath) => (readPath === path ? content : readStoredFile(readPath));
}

/** Returns the sources for a dry run, or why there is no pipeline; an empty object if no dry run was requested. */
async function prepareDryRun(
  services: PlanServices,
  caller: Caller,
  project: Project,
  { dryRunRef, baseUrl }: LintRequest,
  readFile: ReadFile,
): Promise<{ readonly sources: CiFileSources } | { readonly error: string } | Record<never, never>> {
  if (dryRunRef === null) return {};
  const push = await simulatePush(services, caller, project, { ref: dryRunRef, baseUrl });
  if (isFailure(push)) return { error: formatCreationError(push) };
  const commit = await readCommit(services.git, getRepository(services.git, project), push.sha);
  if (commit === null) return { error: formatCreationError(fail('noFile')) };
  return { sources: createPlanSources(services, push, commit, readFile) };
}

/** Returns the first error of the evaluation, or null. */
function findError(evaluation: CiFileEvaluation, isPlanned: boolean): string | null {
  const { outcome } = evaluation;
  if (outcome === 'valid') return null;
  if (typeof outcome === 'object') return outcome.invalid;
  if (!isPlanned) return 'Please provide content of .gitlab-ci.yml';
  const plan = toPlan(evaluation);
  return isFailure(plan) ? formatCreationError(plan) : null;
}

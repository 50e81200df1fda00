import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { type Inspected, inspectCiFile, type ReadFile, tooBig, tooManyJobs, toYaml } from '../ci-file/index.ts';
import { configPath, creationText, dryRun, filesAt, type PrepareServices } from '../pipelines/index.ts';
import type { Linted, LintedJob } from './entities.ts';
import { jobsOfFile, jobsOfPlan } from './jobs.ts';

export interface Asked {
  /** The commit at which files are read; null: there is none. */
  readonly sha: string | null;
  /** In place of what the CI file holds there. */
  readonly content?: string;
  /** The ref of which a push is tried; null: the file alone is looked at. */
  readonly dryRunRef: string | null;
  readonly includeJobs: boolean;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** Looks at a CI file as pipelines do that are made of it, and stores nothing. */
export async function lintFile(
  services: PrepareServices,
  caller: Caller,
  project: Project,
  asked: Asked,
): Promise<Linted> {
  const inspected = await inspectCiFile(configPath(project), readingFor(services, project, asked));
  const found = await outcomeOf(services, caller, project, asked, inspected);
  const isError = typeof found === 'string';
  return {
    errors: isError ? [found] : [],
    yaml: inspected?.whole == null ? null : await toYaml(inspected.whole),
    includes: inspected?.includes ?? [],
    at: { project: project.full_path, sha: asked.sha },
    jobs: asked.includeJobs ? (isError ? [] : found) : null,
  };
}

function readingFor({ git }: PrepareServices, project: Project, { sha, content }: Asked): ReadFile {
  const stored: ReadFile = sha === null ? async () => null : filesAt(git, repositoryOf(git, project), sha);
  if (content === undefined) return stored;
  const path = configPath(project);
  return async (each) => (each === path ? content : stored(each));
}

/** Its jobs, where they are asked for, or the first error. */
async function outcomeOf(
  services: PrepareServices,
  caller: Caller,
  project: Project,
  { dryRunRef, baseUrl, includeJobs }: Asked,
  inspected: Inspected | null,
): Promise<LintedJob[] | string> {
  const configuration = inspected?.configuration ?? null;
  if (dryRunRef !== null) {
    const plan = await dryRun(services, caller, project, { ref: dryRunRef, baseUrl }, configuration);
    if (isFailure(plan)) return creationText(plan);
    return includeJobs ? tellable(jobsOfPlan(plan)) : [];
  }
  if (configuration === null) return 'Please provide content of .gitlab-ci.yml';
  if ('invalid' in configuration) return configuration.invalid;
  if (!includeJobs) return [];
  const jobs = jobsOfFile(configuration, inspected!.whole!);
  return jobs === null ? tooManyJobs().message : tellable(jobs);
}

/** Of a longer text nobody reads the end: what many jobs share is told of each. */
const LONGEST = 4 * 1024 * 1024;

function tellable(jobs: LintedJob[]): LintedJob[] | string {
  let length = 0;
  for (const { before_script, script, after_script } of jobs) {
    for (const lines of [before_script, script, after_script]) {
      for (const line of lines) length += line.length + 1;
      if (length > LONGEST) return tooBig().message;
    }
  }
  return jobs;
}

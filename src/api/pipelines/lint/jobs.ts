import {
  type CiConfiguration,
  type CiJob,
  type CiMap,
  expandParallel,
  MAX_JOBS,
  type PipelinePlan,
  toJsonValue,
} from '../ci-file/index.ts';
import type { LintedJob } from './entities.ts';

/** Lists the jobs of a CI file in stage order, for lint results (contract/runners.md §4.9). */

/** Lists all jobs of the file, without evaluating rules; null: more than the limit. */
export function listJobsOfFile({ jobs, stages }: CiConfiguration, file: CiMap): LintedJob[] | null {
  if (jobs.reduce((count, job) => count + expandParallel(job).length, 0) > MAX_JOBS) return null;
  const place = (job: CiJob) => stages.indexOf(job.stage);
  return jobs
    .toSorted((one, other) => place(one) - place(other))
    .flatMap((job) => {
      const entry = file.get(job.name) as CiMap;
      const about = {
        stage: job.stage,
        ...toScripts(job.options),
        tag_list: [...job.tags],
        only: job.rules === null ? (toLongPolicy(entry, 'only') ?? { refs: ['branches', 'tags'] }) : null,
        except: toLongPolicy(entry, 'except'),
        environment: job.environment?.name ?? null,
        when: job.when ?? 'on_success',
        allow_failure: job.allowFailure?.allowed ?? (job.when === 'manual' && job.rules === null),
        needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
      };
      return expandParallel(job).map(({ name }) => ({ name, ...about }));
    });
}

/** Lists the jobs of a planned pipeline. */
export function listJobsOfPlan({ jobs }: PipelinePlan): LintedJob[] {
  return jobs.map(({ name, stage, options, tags, environment, when, allowFailure }) => ({
    ...{ name, stage, ...toScripts(options), tag_list: [...tags], environment, when },
    allow_failure: allowFailure,
  }));
}

type Scripts = Pick<CiJob['options'], 'before_script' | 'script' | 'after_script'>;

/** Jobs may share these arrays; they must not be mutated. */
function toScripts({ before_script, script, after_script }: Scripts) {
  return {
    before_script: (before_script ?? []) as string[],
    script: (script ?? []) as string[],
    after_script: (after_script ?? []) as string[],
  };
}

/** Returns the policy in its long form; the short form lists refs only. */
function toLongPolicy(entry: CiMap, key: 'only' | 'except'): Record<string, unknown> | null {
  const value = toJsonValue(entry.get(key) ?? null);
  if (value === null) return null;
  if (typeof value === 'string') return { refs: [value] };
  return Array.isArray(value) ? { refs: value.flat(10) } : (value as Record<string, unknown>);
}

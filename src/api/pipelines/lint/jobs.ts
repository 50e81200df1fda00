import {
  type CiMap,
  type Configuration,
  instancesOf,
  type Job,
  MOST_JOBS,
  type Plan,
  plain,
} from '../ci-file/index.ts';
import type { LintedJob } from './entities.ts';

/** The jobs of a CI file, in the order of their stages, for whoever looks at it (contract/runners.md §4.9). */

/** As the file has them, whatever a pipeline would take of them; null: they are more than any may have. */
export function jobsOfFile({ jobs, stages }: Configuration, file: CiMap): LintedJob[] | null {
  if (jobs.reduce((count, job) => count + instancesOf(job).length, 0) > MOST_JOBS) return null;
  const place = (job: Job) => stages.indexOf(job.stage);
  return jobs
    .toSorted((one, other) => place(one) - place(other))
    .flatMap((job) => {
      const entry = file.get(job.name) as CiMap;
      const about = {
        stage: job.stage,
        ...scriptsOf(job.options),
        tag_list: [...job.tags],
        only: job.rules === null ? (policyOf(entry, 'only') ?? { refs: ['branches', 'tags'] }) : null,
        except: policyOf(entry, 'except'),
        environment: job.environment?.name ?? null,
        when: job.when ?? 'on_success',
        allow_failure: job.allowFailure?.allowed ?? (job.when === 'manual' && job.rules === null),
        needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
      };
      return instancesOf(job).map(({ name }) => ({ name, ...about }));
    });
}

/** As a pipeline would have them. */
export function jobsOfPlan({ jobs }: Plan): LintedJob[] {
  return jobs.map(({ name, stage, options, tags, environment, when, allowFailure }) => ({
    ...{ name, stage, ...scriptsOf(options), tag_list: [...tags], environment, when },
    allow_failure: allowFailure,
  }));
}

type Scripts = Pick<Job['options'], 'before_script' | 'script' | 'after_script'>;

/** Jobs may share them: nobody changes one. */
function scriptsOf({ before_script, script, after_script }: Scripts) {
  return {
    before_script: (before_script ?? []) as string[],
    script: (script ?? []) as string[],
    after_script: (after_script ?? []) as string[],
  };
}

/** In the long form: refs alone may be said without a word. */
function policyOf(entry: CiMap, key: 'only' | 'except'): Record<string, unknown> | null {
  const value = plain(entry.get(key) ?? null);
  if (value === null) return null;
  if (typeof value === 'string') return { refs: [value] };
  return Array.isArray(value) ? { refs: value.flat(10) } : (value as Record<string, unknown>);
}

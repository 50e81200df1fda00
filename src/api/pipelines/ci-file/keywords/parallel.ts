import type { EffortBudget } from '../yaml/effort-budget.ts';
import type { CiJob } from './job.ts';
import type { MatrixCombination } from './job-keywords.ts';

/** One instance of a parallel job. */
export interface ParallelInstance {
  readonly name: string;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly variables: readonly { readonly key: string; readonly value: string; readonly raw: false }[];
}

/** Returns the instances of a job: `NAME i/n`, or `NAME: [values]` for a matrix. */
export function expandParallel(
  { name, parallel }: Pick<CiJob, 'name' | 'parallel'>,
  effort: EffortBudget,
): ParallelInstance[] {
  if (parallel === null) return [{ name, parallel: null, variables: [] }];
  if ('total' in parallel) {
    const { total } = parallel;
    effort.spend(total / 10);
    return Array.from({ length: total }, (_, at) => ({
      name: `${name} ${at + 1}/${total}`,
      parallel: { index: at + 1, total },
      variables: [],
    }));
  }
  const total = parallel.matrix.length;
  return parallel.matrix.map((combination, at) => {
    effort.spend(1);
    effort.build(combination.reduce((sum, { value }) => sum + value.length, name.length));
    return {
      name: formatMatrixName(name, combination),
      parallel: { index: at + 1, total },
      variables: combination.map((each) => ({ ...each, raw: false as const })),
    };
  });
}

/** Returns the name of the instance of a matrix job with these values. */
export function formatMatrixName(name: string, combination: MatrixCombination): string {
  return `${name}: [${combination.map(({ value }) => value).join(', ')}]`;
}

/** Returns the names of the instances, where they differ from the job's name. */
export function listParallelNames(job: Pick<CiJob, 'name' | 'parallel'>, effort: EffortBudget): string[] {
  return job.parallel === null ? [] : expandParallel(job, effort).map(({ name }) => name);
}

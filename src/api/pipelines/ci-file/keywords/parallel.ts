import type { Job } from './job.ts';

/** One of the jobs that `parallel` makes. */
export interface Instance {
  readonly name: string;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly variables: readonly { readonly key: string; readonly value: string; readonly raw: false }[];
}

/** The jobs of a pipeline that one of the file becomes: `NAME i/n`, or `NAME: [values]` of a matrix. */
export function instancesOf({ name, parallel }: Pick<Job, 'name' | 'parallel'>): Instance[] {
  if (parallel === null) return [{ name, parallel: null, variables: [] }];
  if ('total' in parallel) {
    const { total } = parallel;
    return Array.from({ length: total }, (_, at) => ({
      name: `${name} ${at + 1}/${total}`,
      parallel: { index: at + 1, total },
      variables: [],
    }));
  }
  const total = parallel.matrix.length;
  return parallel.matrix.map((combination, at) => ({
    name: `${name}: [${combination.map(({ value }) => value).join(', ')}]`,
    parallel: { index: at + 1, total },
    variables: combination.map((each) => ({ ...each, raw: false as const })),
  }));
}

/** The names that its jobs have, where they differ from its own. */
export function parallelNames(job: Pick<Job, 'name' | 'parallel'>): string[] {
  return job.parallel === null ? [] : instancesOf(job).map(({ name }) => name);
}

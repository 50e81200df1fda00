import type { EffortBudget } from '../yaml/effort-budget.ts';
import { CiFileError } from '../yaml/values.ts';
import type { CiJob } from './job.ts';
import type { CiJobNeed, MatrixCombination } from './job-keywords.ts';
import { expandParallel, formatMatrixName } from './parallel.ts';

/** A variable of the needing instance in its needs: `$[[ matrix.KEY ]]`. */
const EXPRESSION = /\$\[\[\s*matrix\.([\w-]+)\s*\]\]/g;

/**
 * Replaces expressions in `needs` by the variables of each instance, and needs of some instances of a parallel job by needs of
 * these. Without a parallel job expressions stay texts.
 */
export function resolveInstanceNeeds(jobs: readonly CiJob[], effort: EffortBudget): readonly CiJob[] {
  const parallelNames = new Set(jobs.filter(({ parallel }) => parallel !== null).map(({ name }) => name));
  if (parallelNames.size === 0) return jobs;
  const problems = new Set<string>();
  const selectInstances = (needs: readonly CiJobNeed[] | null) =>
    needs && selectNeededInstances(needs, parallelNames, effort);
  const resolvedJobs = jobs.map((job): CiJob => {
    const { needs, rules } = job;
    const rulesWithNeeds = rules?.map((rule) => ({ ...rule, needs: selectInstances(rule.needs) })) ?? null;
    if (needs === null || !hasExpression(needs))
      return { ...job, needs: selectInstances(needs), rules: rulesWithNeeds };
    const instanceNeeds = expandParallel(job, effort).map(({ variables }) => {
      const values = new Map(variables.map(({ key, value }) => [key, value]));
      const onUnknown = (key: string) =>
        problems.add(`${job.name} job: '${key}' does not exist in matrix configuration`);
      return selectInstances(replaceExpressions(needs, values, onUnknown, effort))!;
    });
    return { ...job, needs: instanceNeeds[0] ?? [], instanceNeeds, rules: rulesWithNeeds };
  });
  if (problems.size > 0) throw new CiFileError([...problems].join(', '));
  return resolvedJobs;
}

function selectNeededInstances(
  needs: readonly CiJobNeed[],
  parallelNames: ReadonlySet<string>,
  effort: EffortBudget,
): readonly CiJobNeed[] {
  return needs.flatMap((need) => {
    if (need.matrix === null || !parallelNames.has(need.job)) return need;
    effort.spend(need.matrix.length / 10);
    return need.matrix.map((combination) => ({
      ...need,
      job: formatMatrixName(need.job, combination),
      matrix: null,
    }));
  });
}

function listTexts({ job, matrix }: CiJobNeed): string[] {
  return [job, ...(matrix ?? []).flatMap((combination) => combination.map(({ value }) => value))];
}

function hasExpression(needs: readonly CiJobNeed[]): boolean {
  return needs.some((need) => listTexts(need).some((text) => text.search(EXPRESSION) >= 0));
}

function replaceExpressions(
  needs: readonly CiJobNeed[],
  values: ReadonlyMap<string, string>,
  onUnknown: (key: string) => void,
  effort: EffortBudget,
): CiJobNeed[] {
  const replace = (text: string) =>
    text.replace(EXPRESSION, (expression, key: string) => {
      const value = values.get(key);
      if (value === undefined) onUnknown(key);
      return value ?? expression;
    });
  const replaceValues = (combination: MatrixCombination) =>
    combination.map(({ key, value }) => ({ key, value: replace(value) }));
  return needs.map((need) => {
    const texts = listTexts(need);
    effort.spend(texts.length);
    effort.build(texts.reduce((sum, text) => sum + text.length, 0));
    return { ...need, job: replace(need.job), matrix: need.matrix?.map(replaceValues) ?? null };
  });
}

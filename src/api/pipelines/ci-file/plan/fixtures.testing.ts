import assert from 'node:assert/strict';
import { type Configuration, type Invalid, readCiFile } from '../configuration.ts';
import type { CiVariable } from '../expressions/variables.ts';
import { type Plan, planPipeline } from './plan.ts';
import type { PlanContext } from './plan-context.ts';

/** A push to `main` that nobody knows the paths of. */
const CONTEXT: PlanContext = {
  ref: 'main',
  tag: false,
  source: 'push',
  projectPath: 'team/app',
  predefined: [],
  given: [],
  keptFor: () => [],
  changedPaths: null,
  files: null,
};

/** What can be said of a context in a test: variables by their keys. */
export type TestContext = Partial<Omit<PlanContext, 'predefined' | 'given'>> & {
  readonly variables?: Readonly<Record<string, string>>;
};

/** Files beside the CI file, by their paths. */
type Files = Readonly<Record<string, string>>;

async function readFile(text: string, files: Files): Promise<Configuration | Invalid> {
  const all: Files = { '.gitlab-ci.yml': text, ...files };
  const read = await readCiFile('.gitlab-ci.yml', async (path) => all[path] ?? null);
  assert.ok(read);
  return read;
}

export async function configurationOf(text: string, files: Files = {}): Promise<Configuration> {
  const read = await readFile(text, files);
  assert.ok(!('invalid' in read), JSON.stringify(read));
  return read;
}

/** The first error of the file, or null. */
export async function errorOf(text: string, files: Files = {}): Promise<string | null> {
  const read = await readFile(text, files);
  return 'invalid' in read ? read.invalid : null;
}

export async function planned(text: string, context: TestContext = {}, files: Files = {}) {
  const { variables = {}, ...others } = context;
  const predefined: CiVariable[] = Object.entries(variables).map(([key, value]) => ({ key, value }));
  return planPipeline(await configurationOf(text, files), { ...CONTEXT, ...others, predefined });
}

/** The plan of a file that must make one. */
export async function planOf(text: string, context: TestContext = {}, files: Files = {}): Promise<Plan> {
  const plan = await planned(text, context, files);
  assert.ok(typeof plan === 'object' && 'jobs' in plan, JSON.stringify(plan));
  return plan;
}

/** The names of the jobs that run; of none an empty list. */
export async function jobsOf(text: string, context: TestContext = {}): Promise<string[]> {
  const plan = await planned(text, context);
  if (typeof plan === 'string') return [];
  assert.ok('jobs' in plan, JSON.stringify(plan));
  return plan.jobs.map(({ name }) => name);
}

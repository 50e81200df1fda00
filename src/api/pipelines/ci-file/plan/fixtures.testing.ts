import assert from 'node:assert/strict';
import { type CiConfiguration, type InvalidConfiguration, readCiFile } from '../configuration.ts';
import type { CiVariable } from '../expressions/variables.ts';
import { type PipelinePlan, planPipeline } from './plan.ts';
import type { PlanContext } from './plan-context.ts';

/** A push to `main` with unknown paths. */
const CONTEXT: PlanContext = {
  ref: 'main',
  tag: false,
  source: 'push',
  projectPath: 'team/app',
  predefinedVariables: [],
  pipelineVariables: [],
  storedVariables: () => [],
  changedPaths: null,
  files: null,
  loadPaths: async () => null,
};

/** Overrides of the context in a test; variables by key. */
export type TestContext = Partial<Omit<PlanContext, 'predefinedVariables' | 'pipelineVariables'>> & {
  readonly variables?: Readonly<Record<string, string>>;
};

/** Other files of the repository, by path. */
type Files = Readonly<Record<string, string>>;

async function readFile(text: string, files: Files): Promise<CiConfiguration | InvalidConfiguration> {
  const filesByPath: Files = { '.gitlab-ci.yml': text, ...files };
  const configuration = await readCiFile('.gitlab-ci.yml', async (path) => filesByPath[path] ?? null);
  assert.ok(configuration);
  return configuration;
}

/** Reads a valid CI file. */
async function readConfiguration(text: string, files: Files = {}): Promise<CiConfiguration> {
  const configuration = await readFile(text, files);
  assert.ok(!('invalid' in configuration), JSON.stringify(configuration));
  return configuration;
}

/** Returns the first error of the file, or null. */
export async function findConfigurationError(text: string, files: Files = {}): Promise<string | null> {
  const configuration = await readFile(text, files);
  return 'invalid' in configuration ? configuration.invalid : null;
}

/** Plans a file; returns the plan, or why there is no pipeline. */
export async function planFile(text: string, context: TestContext = {}, files: Files = {}) {
  const { variables = {}, ...others } = context;
  const predefined: CiVariable[] = Object.entries(variables).map(([key, value]) => ({ key, value }));
  return planPipeline(await readConfiguration(text, files), { ...CONTEXT, ...others, predefinedVariables: predefined });
}

/** Plans a file that must yield a pipeline. */
export async function planRequiredPipeline(
  text: string,
  context: TestContext = {},
  files: Files = {},
): Promise<PipelinePlan> {
  const plan = await planFile(text, context, files);
  assert.ok(typeof plan === 'object' && 'jobs' in plan, JSON.stringify(plan));
  return plan;
}

/** Returns the names of the jobs that run; empty if there is no pipeline. */
export async function listPlannedJobNames(text: string, context: TestContext = {}): Promise<string[]> {
  const plan = await planFile(text, context);
  if (typeof plan === 'string') return [];
  assert.ok('jobs' in plan, JSON.stringify(plan));
  return plan.jobs.map(({ name }) => name);
}

export { type CiFileSources, type EvaluationClient, evaluateInThread } from './ci-file-thread.ts';
export type { CiFileEvaluation } from './evaluate.ts';
export type { PathSource } from './expressions/paths.ts';
export {
  ALL_ENVIRONMENTS,
  type CiVariable,
  expandReferences,
  expandVariables,
  type ReceivingJob,
  selectEffectiveVariables,
  toPublicValues,
} from './expressions/variables.ts';
export type { JobArtifacts, JobCache, JobImage, JobOptions, PipelineVariableInput } from './keywords/options.ts';
export type { CiLintJobRow } from './plan/listed-jobs.ts';
export type { ContextNeeds, PlanContextData, StoredVariable } from './plan/plan-context.ts';
export type { OptionPart, StoredJob, StoredPlan } from './plan/stored-plan.ts';
export { type ReadFile, TOO_LARGE } from './yaml/includes.ts';
export { MAX_FILE_LENGTH } from './yaml/read-yaml.ts';

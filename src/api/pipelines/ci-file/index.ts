export {
  type CiConfiguration,
  type CiFileInspection,
  type InvalidConfiguration,
  inspectCiFile,
  readCiFile,
} from './configuration.ts';
export { type CiVariable, expandReferences, expandVariables, toPublicValues } from './expressions/variables.ts';
export { parseCiDuration } from './keywords/durations.ts';
export type { CiJob } from './keywords/job.ts';
export type { JobArtifacts, JobCache, JobImage, JobOptions, PipelineVariableInput } from './keywords/options.ts';
export { expandParallel } from './keywords/parallel.ts';
export { MAX_JOBS, type PipelinePlan, type PlannedJob, planPipeline, tooManyJobs } from './plan/plan.ts';
export type { VariablesByEnvironment } from './plan/plan-context.ts';
export { type ReadFile, TOO_LARGE } from './yaml/includes.ts';
export { MAX_FILE_LENGTH } from './yaml/read-yaml.ts';
export { type CiMap, fileTooLarge, toJsonValue } from './yaml/values.ts';
export { toYaml } from './yaml/write-yaml.ts';

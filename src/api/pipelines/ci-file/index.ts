export { type Configuration, type Invalid, readCiFile } from './configuration.ts';
export { readDuration } from './durations.ts';
export { type ReadFile, TOO_LARGE } from './includes.ts';
export type { Artifacts, Cache, Environment, Image, JobOptions, PipelineVariable, Retry, Service } from './options.ts';
export { type Plan, type PlannedJob, type PlannedNeed, planPipeline } from './plan.ts';
export type { PlanContext, VariablesFor } from './plan-context.ts';
export { LARGEST_FILE } from './read-yaml.ts';
export { type CiVariable, expandText, expandVariables, shownValuesOf, valuesOf } from './variables.ts';

export { readDuration } from './durations.ts';
export type { Artifacts, Cache, Environment, Image, JobOptions, PipelineVariable, Retry, Service } from './options.ts';
export { type CiVariable, expandText, expandVariables, valuesOf } from './variables.ts';

export { maySetPipelineVariables } from './pipeline-right.ts';
export { problemsOf } from './problems.ts';

export { maySetPipelineVariables } from './pipeline-right.ts';

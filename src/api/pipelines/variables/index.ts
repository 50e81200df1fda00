import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { variablesForJob, variablesForPipeline } from './of-jobs.ts';
export { maySetPipelineVariables } from './pipeline-right.ts';
export { problemsOf } from './problems.ts';

export const variables = family({ endpoints });

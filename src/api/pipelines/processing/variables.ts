/** Where the values of variables lie, for their encryption (`security/encryption.ts`): each opens in its own place alone. */

export const PIPELINE_VARIABLE = 'pipeline_variables.value';
export const JOB_VARIABLE = 'job_variables.value';

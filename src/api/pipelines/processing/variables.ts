/**
 * Encryption contexts of variable values (`security/encryption.ts`): a value decrypts only with the context of its
 * column.
 */

export const PIPELINE_VARIABLE = 'pipeline_variables.value';
export const JOB_VARIABLE = 'job_variables.value';

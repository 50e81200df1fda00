import { type ErrorTable, fillTemplate } from '#http/errors/error-messages.ts';
import type { Failure } from '#runtime/failure.ts';

const baseError = (text: string) => [400, { message: { base: [text] } }] as const;

/** Errors of pipeline creation (contract/runners.md §4.1), in the order of the checks. */
export const PIPELINE_CREATION_ERRORS = {
  disabled: baseError('Pipelines are disabled!'),
  notPermitted: baseError('Insufficient permissions to create a new pipeline'),
  notAllowed: baseError(
    "You do not have sufficient permission to run a pipeline on '{ref}'. Please select a different branch or contact your administrator for assistance.",
  ),
  noRef: baseError('Reference not found'),
  noFile: baseError('Missing CI config file'),
  /** The first error of the CI file. */
  invalid: baseError('{text}'),
  empty: baseError(
    'The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.',
  ),
  excludedByRules: baseError('The pipeline did not run. Review the workflow:rules configuration for the pipeline.'),
  duplicate: baseError('Duplicate variable name: {key}'),
  cannotSetVariables: baseError('Insufficient permissions to set pipeline variables'),
} as const satisfies ErrorTable;

/** Formats the error as plain text. */
export function formatCreationError({ code, values }: Failure<keyof typeof PIPELINE_CREATION_ERRORS>): string {
  return String(fillTemplate(PIPELINE_CREATION_ERRORS[code][1].message.base[0]!, values));
}

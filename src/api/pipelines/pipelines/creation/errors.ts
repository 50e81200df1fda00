import { type ErrorTable, fillTemplate } from '#http/errors/error-table.ts';
import type { Failure } from '#runtime/failure.ts';

const base = (text: string) => [400, { message: { base: [text] } }] as const;

/** Errors of pipeline creation (contract/runners.md §4.1), in the order of the checks. */
export const PIPELINE_CREATION_ERRORS = {
  disabled: base('Pipelines are disabled!'),
  notPermitted: base('Insufficient permissions to create a new pipeline'),
  notAllowed: base(
    "You do not have sufficient permission to run a pipeline on '{ref}'. Please select a different branch or contact your administrator for assistance.",
  ),
  noRef: base('Reference not found'),
  noFile: base('Missing CI config file'),
  /** The first error of the CI file. */
  invalid: base('{text}'),
  empty: base('The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs.'),
  unwanted: base('The pipeline did not run. Review the workflow:rules configuration for the pipeline.'),
  duplicate: base('Duplicate variable name: {key}'),
  noVariables: base('Insufficient permissions to set pipeline variables'),
} as const satisfies ErrorTable;

/** Formats the error as plain text. */
export function formatCreationError({ code, values }: Failure<keyof typeof PIPELINE_CREATION_ERRORS>): string {
  return String(fillTemplate(PIPELINE_CREATION_ERRORS[code][1].message.base[0]!, values));
}

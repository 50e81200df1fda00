import { Type } from 'typebox';
import type { PipelineStatus } from '#database/schema.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';

const stringType = Type.String();

/** A status for display (contract/runners.md §4.1). */
export const DetailedStatus = objectSchema('DetailedStatus', {
  icon: stringType,
  text: stringType,
  label: stringType,
  group: stringType,
  tooltip: stringType,
  has_details: Type.Boolean(),
  details_path: stringType,
  illustration: nullable(stringType),
  favicon: stringType,
});

/** The text of each status, and its label if it is not the lower-case text. */
const STATUS_TEXTS: Readonly<Record<PipelineStatus, readonly [text: string, label?: string]>> = {
  created: ['Created'],
  waiting_for_resource: ['Waiting', 'waiting for resource'],
  preparing: ['Preparing'],
  waiting_for_callback: ['Waiting', 'waiting for callback'],
  pending: ['Pending'],
  running: ['Running'],
  success: ['Passed'],
  failed: ['Failed'],
  canceling: ['Canceling'],
  canceled: ['Canceled'],
  skipped: ['Skipped'],
  manual: ['Manual', 'waiting for manual action'],
  scheduled: ['Scheduled', 'waiting for delayed action'],
};

interface PipelineStatusRow {
  readonly id: number;
  readonly status: PipelineStatus;
  readonly full_path: string;
}

/** Returns the status for display. `hasWarnings` means that jobs with `allow_failure` have failed. */
export function toDetailedStatus({ id, status, full_path }: PipelineStatusRow, hasWarnings: boolean) {
  const isWarning = hasWarnings && status === 'success';
  const [text, label = text.toLowerCase()] = isWarning
    ? (['Warning', 'passed with warnings'] as const)
    : STATUS_TEXTS[status];
  return {
    icon: isWarning ? 'status_warning' : `status_${status}`,
    text,
    label,
    group: isWarning ? 'success-with-warnings' : status.replaceAll('_', '-'),
    tooltip: label,
    has_details: true,
    details_path: `/${full_path}/-/pipelines/${id}`,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${status}.png`,
  };
}

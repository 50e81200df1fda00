import type { AlertSeverity } from '#database/schema.ts';
import type { MappedField, Mapping } from '../attribute-mappings/index.ts';
import { getValueAtPath } from '../attribute-mappings/index.ts';
import { isBlank } from './payload-values.ts';

/** An alert parsed from a payload, or from an element of one, in either format. */
export interface ParsedAlert {
  readonly title: string;
  readonly description: string | null;
  readonly service: string | null;
  readonly monitoringTool: string | null;
  readonly hosts: readonly string[];
  readonly severity: AlertSeverity;
  /** Null: the time of receipt. */
  readonly startedAt: string | null;
  /** Whether the report resolves the alert with its fingerprint. */
  readonly isResolving: boolean;
  /** When the alert ended; null: the time of receipt. */
  readonly endedAt: string | null;
  /** The name of an environment, which may not exist in the project. */
  readonly environment: string | null;
  /** 40 hexadecimal digits; null: the alert is never grouped. */
  readonly fingerprint: string | null;
  readonly runbook: string | null;
  readonly metricQuery: string | null;
  readonly yLabel: string | null;
  readonly incidentMarkdown: string | null;
  /** JSON. */
  readonly payload: string;
  /** Name of the source in system notes. */
  readonly source: string;
}

/** The name and the mapping of the integration that received an alert. */
export interface AlertSender {
  readonly name: string;
  readonly mapping: Mapping;
}

/** Maximum lengths of texts, in characters. */
export const MAX_LENGTHS = { title: 200, description: 1000, service: 100, monitoringTool: 100 } as const;

/**
 * Returns the value that the integration's mapping finds for a field, converted by `read`. Returns null if the field is not
 * mapped, or if the value is blank or cannot be converted (contract/monitoring.md §5).
 */
export function readMappedField<Value>(
  { mapping }: AlertSender,
  payload: unknown,
  field: MappedField,
  read: (value: unknown, type: string) => Value | null,
): Value | null {
  const mappedPath = mapping[field];
  if (mappedPath === undefined) return null;
  const value = getValueAtPath(payload, mappedPath.path);
  return isBlank(value) ? null : read(value, mappedPath.type);
}

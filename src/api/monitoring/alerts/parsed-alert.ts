import type { AlertSeverity } from '#database/tables/alerts.ts';
import type { MappedField, Mapping } from '../attribute-mappings/index.ts';
import { valueAt } from '../attribute-mappings/index.ts';
import { isBlank } from './payload-values.ts';

/** What a payload, or an element of one, says of an alert, in whatever format it came. */
export interface ParsedAlert {
  readonly title: string;
  readonly description: string | null;
  readonly service: string | null;
  readonly monitoringTool: string | null;
  readonly hosts: readonly string[];
  readonly severity: AlertSeverity;
  /** Null: when it came. */
  readonly startedAt: string | null;
  /** It ends what has its fingerprint. */
  readonly resolving: boolean;
  /** When that ended; null: when this came. */
  readonly endedAt: string | null;
  /** The name of what may be an environment of the project. */
  readonly environment: string | null;
  /** 40 hexadecimal digits; null: it is like no other. */
  readonly fingerprint: string | null;
  readonly runbook: string | null;
  readonly metricQuery: string | null;
  readonly yLabel: string | null;
  readonly incidentMarkdown: string | null;
  /** JSON. */
  readonly payload: string;
  /** Who is told to have logged it. */
  readonly source: string;
}

/** The integration that a payload came to, as far as its alerts depend on it. */
export interface AlertSource {
  readonly name: string;
  readonly mapping: Mapping;
}

/** Characters, of each text that has a limit. */
export const LONGEST = { title: 200, description: 1000, service: 100, monitoringTool: 100 } as const;

/**
 * What an integration's mapping finds for a field, read by `read`; null where it says nothing of it, and where what it
 * leads to is blank or can't be read (contract/monitoring.md §5).
 */
export function mapped<Value>(
  { mapping }: AlertSource,
  payload: unknown,
  field: MappedField,
  read: (value: unknown, type: string) => Value | null,
): Value | null {
  const place = mapping[field];
  if (place === undefined) return null;
  const value = valueAt(payload, place.path);
  return isBlank(value) ? null : read(value, place.type);
}

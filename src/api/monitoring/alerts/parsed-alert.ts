import type { AlertSeverity } from '#database/schema.ts';
import { truncateToCharacters } from '#text/trim.ts';
import { getValueAtPath, type MappedField, type Mapping } from './attribute-mapping.ts';

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

// Converts payload values to the values that alerts store (contract/monitoring.md §2, first lines). Pure.

/** Returns whether the value counts as missing: null, false, white space, an empty list or an empty object. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return !/[^\s\0]/.test(value);
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Returns the value as text, or null if it is blank. Removes NULs, which databases cannot store; other types become JSON. */
export function toTextOrNull(value: unknown): string | null {
  if (isBlank(value)) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

const ELLIPSIS = '...';

/** Truncates the text to `maxCharacters` characters; the last three of a truncated text are an ellipsis. */
export function truncateWithEllipsis(text: string, maxCharacters: number): string {
  // A text never has fewer code units than characters.
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 2));
  if (characters.length <= maxCharacters) return text;
  return characters.slice(0, maxCharacters - ELLIPSIS.length).join('') + ELLIPSIS;
}

/** Maximum total length of all hosts, in characters. */
const MAX_HOSTS_LENGTH = 255;
/** Maximum number of items to inspect; only a list of mostly blank items reaches it. */
const MAX_INSPECTED_HOSTS = 10_000;

/** Returns the hosts of a value or a nested list, without blank ones, truncated to 255 characters in total. */
export function toHosts(value: unknown): string[] {
  const hosts: string[] = [];
  let remainingLength = MAX_HOSTS_LENGTH;
  let inspectedCount = 0;
  for (const item of flattenItems(value)) {
    if (++inspectedCount > MAX_INSPECTED_HOSTS) break;
    const text = toTextOrNull(item);
    if (text === null) continue;
    const host = truncateToCharacters(text, remainingLength);
    hosts.push(host);
    remainingLength -= Array.from(host).length;
    if (remainingLength <= 0) break;
  }
  return hosts;
}

/** Yields the items of a nested list in order, including empty lists, or the value itself if it is not a list. */
export function* flattenItems(value: unknown): Generator<unknown> {
  if (!Array.isArray(value) || value.length === 0) yield value;
  else for (const item of value) yield* flattenItems(item);
}

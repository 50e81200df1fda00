import { isJsonObject } from '#text/json-object.ts';

/**
 * Where the fields of alerts stand in the payloads of an integration (contract/monitoring.md §5
 * "payload_attribute_mapping"). Pure.
 */

const FIELDS = [
  'title',
  'description',
  'start_time',
  'end_time',
  'service',
  'monitoring_tool',
  'hosts',
  'severity',
  'fingerprint',
  'service_environment_name',
] as const;

/** What a mapping may say of an alert. */
export type MappedField = (typeof FIELDS)[number];

const TYPES = ['string', 'array', 'datetime', 'number'] as const;

/** Where a value stands, and as what it is read. */
export interface Mapped {
  readonly path: readonly (string | number)[];
  readonly type: (typeof TYPES)[number];
  readonly label?: string | null;
}

export type Mapping = { readonly [Field in MappedField]?: Mapped };

/** The name of a field in mappings that senders of the other platform have written. */
const ALIASES = new Map<string, MappedField>([['gitlab_environment_name', 'service_environment_name']]);

/** Longer paths lead nowhere: no payload is nested deeper. */
const LONGEST_PATH = 100;

/** Is this a mapping, to the letter of its schema? */
export function isMapping(value: unknown): value is Readonly<Record<string, Mapped>> {
  return isJsonObject(value) && Object.entries(value).every(([name, mapped]) => isFieldName(name) && isMapped(mapped));
}

const isFieldName = (name: string) => ALIASES.has(name) || (FIELDS as readonly string[]).includes(name);

function isMapped(value: unknown): value is Mapped {
  if (!isJsonObject(value)) return false;
  const { path, type, label, ...more } = value;
  return (
    isPath(path) &&
    (TYPES as readonly unknown[]).includes(type) &&
    (label === undefined || label === null || typeof label === 'string') &&
    Object.keys(more).length === 0
  );
}

function isPath(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONGEST_PATH) return false;
  return value.every((step) => typeof step === 'string' || Number.isSafeInteger(step));
}

/** A stored mapping, by the names of our own fields: of a field under both its names the own one holds. */
export function readMapping(json: string): Mapping {
  if (json === '{}') return NO_MAPPING;
  const stored = JSON.parse(json) as Readonly<Record<string, Mapped>>;
  const mapping: Partial<Record<MappedField, Mapped>> = {};
  for (const [name, mapped] of Object.entries(stored)) {
    const alias = ALIASES.get(name);
    if (alias === undefined) mapping[name as MappedField] = mapped;
    else mapping[alias] ??= mapped;
  }
  return mapping;
}

const NO_MAPPING: Mapping = Object.freeze({});

/** What stands at the path, of a payload or an element of one; undefined where the path leads nowhere. */
export function valueAt(payload: unknown, path: Mapped['path']): unknown {
  let value = payload;
  for (const step of path) {
    const leads = typeof step === 'number' ? Array.isArray(value) : isJsonObject(value);
    if (!leads || !Object.hasOwn(value as object, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

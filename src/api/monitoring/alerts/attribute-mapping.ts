import { isJsonObject } from '#text/json-object.ts';

// Maps the fields of alerts to paths in the payloads of an integration (contract/monitoring.md §5
// "payload_attribute_mapping"). Pure.

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

/** A field that a mapping may contain. */
export type MappedField = (typeof FIELDS)[number];

const VALUE_TYPES = ['string', 'array', 'datetime', 'number'] as const;

/** The path of a value in a payload, and the type to read it as. */
interface MappedPath {
  readonly path: readonly (string | number)[];
  readonly type: (typeof VALUE_TYPES)[number];
  readonly label?: string | null;
}

export type Mapping = { readonly [Field in MappedField]?: MappedPath };

/** Alternative field names, used by mappings that were written for GitLab. */
const ALIASES = new Map<string, MappedField>([['gitlab_environment_name', 'service_environment_name']]);

/** Maximum number of steps in a path. No payload is nested more deeply. */
const MAX_PATH_LENGTH = 100;

/** Returns whether the value matches the mapping schema exactly. */
export function isMapping(value: unknown): value is Readonly<Record<string, MappedPath>> {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(([name, mappedPath]) => isFieldName(name) && isMappedPath(mappedPath))
  );
}

const isFieldName = (name: string) => ALIASES.has(name) || (FIELDS as readonly string[]).includes(name);

function isMappedPath(value: unknown): value is MappedPath {
  if (!isJsonObject(value)) return false;
  const { path, type, label, ...unknownMembers } = value;
  return (
    isPath(path) &&
    (VALUE_TYPES as readonly unknown[]).includes(type) &&
    (label === undefined || label === null || typeof label === 'string') &&
    Object.keys(unknownMembers).length === 0
  );
}

function isPath(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PATH_LENGTH) return false;
  return value.every((step) => typeof step === 'string' || Number.isSafeInteger(step));
}

/** Parses a stored mapping and replaces aliases; if both names occur, the canonical one takes precedence. */
export function parseMapping(json: string): Mapping {
  if (json === '{}') return NO_MAPPING;
  const storedMapping = JSON.parse(json) as Readonly<Record<string, MappedPath>>;
  const mapping: Partial<Record<MappedField, MappedPath>> = {};
  for (const [name, mappedPath] of Object.entries(storedMapping)) {
    const alias = ALIASES.get(name);
    if (alias === undefined) mapping[name as MappedField] = mappedPath;
    else mapping[alias] ??= mappedPath;
  }
  return mapping;
}

const NO_MAPPING: Mapping = Object.freeze({});

/** Returns the value at the path in a payload or element, or undefined if the path does not exist. */
export function getValueAtPath(payload: unknown, path: MappedPath['path']): unknown {
  let value = payload;
  for (const step of path) {
    const hasMember = typeof step === 'number' ? Array.isArray(value) : isJsonObject(value);
    if (!hasMember || !Object.hasOwn(value as object, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

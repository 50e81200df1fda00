import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { boolean } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import {
  type AttributeName,
  PROJECT_ATTRIBUTES,
  type ProjectAttribute,
  type ProjectAttributeInput,
  projectAttributeEntries,
  type StoredName,
} from './attributes.ts';
import { parseStoredAttributes } from './stored-attributes.ts';

/** Interpretation of attributes in requests (contract/planning.md §3.3). Pure. */

/** The caller who sets attributes, and the tier. */
interface AttributeSetter {
  /** The timestamp of the change. */
  readonly now: string;
  readonly actor: Caller;
  readonly tier: Tier;
}

/**
 * Returns the attributes to set, under their current names and without those that the caller may not set. An alias
 * only counts if its current name is absent. `attributesJson`: the stored attributes of the project.
 */
export function resolveAttributes(
  values: ProjectAttributeInput,
  attributesJson: string,
  setter: AttributeSetter,
): ProjectAttributeInput {
  const current = parseStoredAttributes({ attributes: attributesJson });
  const resolved: Record<string, unknown> = {};
  for (const [name, attribute] of projectAttributeEntries) {
    const value = resolveValue(attribute, values[name]);
    if (value === undefined || !maySet(setter, attribute)) continue;
    const { aliasOf, merge } = attribute;
    if (merge !== undefined) resolved[name] = merge(value as never, current[name as StoredName] as never, setter.now);
    else if (aliasOf === undefined) resolved[name] = value;
    else if (values[aliasOf.name as AttributeName] == null)
      resolved[aliasOf.name] = aliasOf.value(value as never, current);
  }
  return resolved;
}

/** Returns the value to set for a value in the request; undefined means that the attribute stays unchanged. */
function resolveValue(
  { clearable, resettable, kind, aliasOf, defaultValue: fallback }: ProjectAttribute,
  value: unknown,
): unknown {
  if (clearable && kind === 'stored' && value === '') return null;
  if (value !== null || clearable || kind === 'unsupported') return value;
  if (!resettable) return undefined;
  return aliasOf === undefined ? fallback : false;
}

function maySet(
  { actor, tier }: AttributeSetter,
  { administratorsOnly, premiumOnly: premium }: ProjectAttribute,
): boolean {
  return (!administratorsOnly || isAdministrator(actor)) && (!premium || tier !== 'free');
}

/** Returns the errors of single values. */
export function validateAttributes(resolved: ProjectAttributeInput): FieldErrors {
  const errors = Object.entries(resolved).map(([name, value]) => {
    const attribute: ProjectAttribute = PROJECT_ATTRIBUTES[name as AttributeName];
    if (attribute.kind === 'unsupported') return validateUnsupportedAttribute(name, value);
    return value == null ? {} : (attribute.errors?.(value as never) ?? {});
  });
  return Object.assign({}, ...errors);
}

/**
 * Returns an error if an attribute would enable a protection that is not supported (contract/conventions.md §3):
 * callers must not rely on a missing protection. `alsoAccepted`: values that are accepted in addition to false, 0 and
 * empty ones.
 */
export function validateUnsupportedAttribute(
  name: string,
  value: unknown,
  ...alsoAccepted: readonly string[]
): FieldErrors {
  const isAccepted =
    value === undefined || isOff(value) || isEmpty(value) || (alsoAccepted as unknown[]).includes(value);
  return isAccepted ? {} : { [name]: ['is not supported'] };
}

/** Returns whether a value means false in any notation, or is null. */
function isOff(value: unknown): boolean {
  const problems = new Problems();
  return boolean.read(value, '', problems) !== true && !problems.any;
}

/** Returns whether a value is an empty array; in forms `name[]=`. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => element === '');
}

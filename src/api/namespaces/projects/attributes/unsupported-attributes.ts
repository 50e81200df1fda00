import { Problems } from '#http/parameters/parameter-type.ts';
import { boolean } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';

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

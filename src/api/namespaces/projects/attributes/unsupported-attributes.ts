import { Problems } from '#http/parameters/parameter-type.ts';
import { boolean } from '#http/parameters/types.ts';
import type { FieldErrors } from '#runtime/failure.ts';

/**
 * Attributes that would guard something Hearth has no guard for (contract/conventions.md §3): only what leaves them open is
 * accepted, since nobody shall believe in a lock that is not there. `alsoOpen`: values besides false, 0 and empty ones.
 */
export function guardErrors(name: string, value: unknown, ...alsoOpen: readonly string[]): FieldErrors {
  const isOpen = value === undefined || isOff(value) || isEmpty(value) || (alsoOpen as unknown[]).includes(value);
  return isOpen ? {} : { [name]: ['is not supported'] };
}

/** false in any of its forms, or nothing. */
function isOff(value: unknown): boolean {
  const problems = new Problems();
  return boolean.read(value, '', problems) !== true && !problems.any;
}

/** `[]`, in forms `name[]=`. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => element === '');
}

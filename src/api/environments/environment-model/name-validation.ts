import { foldCase } from '#database/name-keys.ts';

// Names of environments (contract/environments.md Part 1). Pure.

const ALLOWED = /^[A-Za-z0-9\-_/${}. ]+$/;
const MAX_LENGTH = 255;

/** Returns validation errors of a name. */
export function validateEnvironmentName(name: string): string[] {
  const errors: string[] = [];
  if (name.trim() === '') errors.push("can't be blank");
  if ([...name].length > MAX_LENGTH) errors.push(`is too long (maximum is ${MAX_LENGTH} characters)`);
  if (!ALLOWED.test(name) || name.startsWith('/') || name.endsWith('/')) {
    errors.push(
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
  }
  return errors;
}

/** Returns the search columns of a name: `review/a/b` has the folder `review` and the rest key `a/b`. */
export function toNameLookupColumns(name: string): {
  name_key: string;
  folder: string | null;
  rest_key: string | null;
} {
  const slash = name.indexOf('/');
  return {
    name_key: foldCase(name),
    folder: slash < 0 ? null : name.slice(0, slash),
    rest_key: slash < 0 ? null : foldCase(name.slice(slash + 1)),
  };
}

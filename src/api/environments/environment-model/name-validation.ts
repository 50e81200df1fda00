import { foldCase } from '#database/name-keys.ts';

/** Names of environments (contract/environments.md Part 1). Pure. */

const ALLOWED = /^[A-Za-z0-9\-_/${}. ]+$/;
const LONGEST = 255;

/** What is wrong with a name, as a record says it of its field. */
export function nameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.trim() === '') errors.push("can't be blank");
  if ([...name].length > LONGEST) errors.push(`is too long (maximum is ${LONGEST} characters)`);
  if (!ALLOWED.test(name) || name.startsWith('/') || name.endsWith('/')) {
    errors.push(
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
  }
  return errors;
}

/** What is kept of a name to find it by: `review/a/b` is in the folder `review`, and also found by what begins with `a/b`. */
export function nameParts(name: string): { name_key: string; folder: string | null; rest_key: string | null } {
  const slash = name.indexOf('/');
  return {
    name_key: foldCase(name),
    folder: slash < 0 ? null : name.slice(0, slash),
    rest_key: slash < 0 ? null : foldCase(name.slice(slash + 1)),
  };
}

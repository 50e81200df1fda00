import { isReservedName } from '#authentication/users/usernames.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';

// Validation of paths and names of groups and projects (contract/planning.md §3.1 "Path"). Each function returns error
// texts without the field name; an empty list means valid.

/** Validates the last segment of a full path. Groups need at least two characters. */
export function validatePath(path: string, { minLength = 1 }: { readonly minLength?: number } = {}): string[] {
  if (path === '') return ["can't be blank"];
  return [
    ...(path.length < minLength ? [`is too short (minimum is ${minLength} characters)`] : []),
    ...(path.length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...(isValidPath(path) ? [] : [INVALID_PATH]),
  ];
}

/** Validates the last segment of a group's path. Top-level groups must not have a reserved name. */
export function validateGroupPath(path: string, { topLevel }: { readonly topLevel: boolean }): string[] {
  const problems = validatePath(path, { minLength: 2 });
  return topLevel && isReservedName(path) ? [...problems, `${path} is a reserved name`] : problems;
}

/** Validates the display name of a group or project. */
export function validateName(name: string): string[] {
  if (BLANK.test(name)) return ["can't be blank"];
  return [
    ...([...name].length > MAX_LENGTH ? [`is too long (maximum is ${MAX_LENGTH} characters)`] : []),
    ...(/^[\p{L}\p{N}_\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(name) && !/[<>\p{Cc}]/u.test(name)
      ? []
      : [INVALID_NAME]),
  ];
}

/** Maximum length of a path or name in characters. */
const MAX_LENGTH = 255;
/** Blanks and invisible characters, some of which are letters (Hangul fillers). */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u;
const INVALID_PATH =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const INVALID_NAME = "must start with a letter, digit, emoji, or '_', and can't contain '<' or '>'.";

function isValidPath(path: string): boolean {
  return /^[\w][\w.-]*$/.test(path) && !/(\.|\.git|\.atom)$/i.test(path);
}

/** Returns the name or path of a group or project while its deletion is scheduled, so that the old one can be reused. */
export function toDeletionScheduledName(name: string, id: number): string {
  return withSuffix(name, `-deletion_scheduled-${id}`);
}

/** Returns whether a segment of the full path belongs to a group or project scheduled for deletion. */
export function isScheduledForDeletion(fullPath: string): boolean {
  return fullPath.split('/').some((segment) => /-deletion_scheduled-\d+$/.test(segment));
}

/** Appends an ASCII suffix; shortens the name if the result would be longer than 255 characters. */
export function withSuffix(name: string, suffix: string): string {
  return [...name].slice(0, MAX_LENGTH - suffix.length).join('') + suffix;
}

/**
 * Returns the name, or the name with the first free suffix of `_1`, `_2` … if a group or project directly in the group has
 * the name, ignoring case.
 */
export async function findAvailableName(db: Reader, groupId: number, name: string): Promise<string> {
  for (let count = 0; ; count++) {
    const candidate = count === 0 ? name : withSuffix(name, `_${count}`);
    if (!(await isNameTaken(db, groupId, candidate))) return candidate;
  }
}

/** Returns whether a group or project directly in the group has the name. index: namespaces_by_parent, projects_by_name_key */
async function isNameTaken(db: Reader, groupId: number, name: string): Promise<boolean> {
  const key = foldCase(name);
  const group = await db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', groupId)
    .where('name_key', '=', key)
    .executeTakeFirst();
  if (group !== undefined) return true;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('name_key', '=', key)
    .executeTakeFirst();
  return project !== undefined;
}

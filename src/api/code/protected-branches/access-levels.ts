import { NO_ONE } from '#authorization/access-level-descriptions.ts';
import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import type { CreateAccessLevelInput } from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { describe, object, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { arrayOf, boolean, integer, integerIn } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findMemberIds } from './store.ts';

/** The actions that entries of a rule can allow. */
export const RULE_KINDS: readonly RuleKind[] = ['push', 'merge', 'unprotect'];

/** The roles that entries of each kind may name. */
export const ALLOWED_LEVELS = {
  push: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  merge: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  unprotect: [DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
} as const satisfies Record<RuleKind, readonly number[]>;

const createLevelParams = (kind: RuleKind) => ({
  id: describe(optional(integer), 'Id of the entry to change; absent: a new entry.'),
  access_level: describe(optional(integerIn(ALLOWED_LEVELS[kind])), 'Lowest role.'),
  user_id: describe(optional(integer), 'Id of a member of the project.'),
  group_id: describe(optional(integer), 'Rejected, because projects cannot be shared with groups.'),
  _destroy: describe(optional(boolean), 'Deletes the entry with this `id`.'),
});

/** One element of `allowed_to_push` and similar parameters; omitted fields are undefined. */
export type AccessLevelInput = Partial<ParameterValues<ReturnType<typeof createLevelParams>>>;

/**
 * Returns the parameter type of `allowed_to_push`, `allowed_to_merge` and `allowed_to_unprotect`. Error messages do
 * not name the index of the element.
 */
export function createAccessLevelsParam(kind: RuleKind) {
  const element = object(createLevelParams(kind));
  const read: typeof element.read = (raw, name, problems) => element.read(raw, name.replace(/\[\d+\]$/, ''), problems);
  return optional(arrayOf({ ...element, read }), []);
}

/** Names of the lists of entries in error messages. */
const LIST_TITLES: Readonly<Record<RuleKind, string>> = {
  push: 'Push access levels',
  merge: 'Merge access levels',
  unprotect: 'Unprotect access levels',
};

/** Converts an element to a row. A user takes precedence over a group, a group over a role. */
export function toCreateAccessLevelInput(kind: RuleKind, input: AccessLevelInput): CreateAccessLevelInput {
  const user_id = input.user_id ?? null;
  const group_id = user_id === null ? (input.group_id ?? null) : null;
  const role = user_id === null && group_id === null ? input.access_level : null;
  return { kind, access_level: role ?? MAINTAINER, user_id, group_id };
}

/** Returns whether an element with an `id` changes the role, user or group of its entry. */
export function changesSubject({ access_level, user_id, group_id }: AccessLevelInput): boolean {
  return access_level != null || user_id != null || group_id != null;
}

/** Returns the entries without duplicates, because a rule has at most one entry for each role and user of a kind. */
export function removeDuplicateLevels(levels: readonly CreateAccessLevelInput[]): CreateAccessLevelInput[] {
  return [...new Map(levels.map((level) => [toLevelKey(level), level])).values()];
}

/** Returns a text that is equal for equal entries. Entries for a user do not depend on their role. */
function toLevelKey({ kind, access_level, user_id, group_id }: CreateAccessLevelInput): string {
  return user_id === null && group_id === null ? `${kind} role ${access_level}` : `${kind} ${user_id} ${group_id}`;
}

/**
 * Checks that no changed or added entry equals another entry of the rule, when the changes are applied one after the other. All entries
 * are of one kind. Fails with `levelsInvalid`.
 */
export function checkUniqueLevels(
  existingEntries: readonly (CreateAccessLevelInput & { readonly id: number })[],
  changedEntries: readonly (CreateAccessLevelInput & { readonly id: number })[],
  addedEntries: readonly CreateAccessLevelInput[],
): undefined | Failure<'levelsInvalid'> {
  // Existing entries are identified by their id, new entries by the object, because they have no id yet.
  const keys = new Map<number | CreateAccessLevelInput, string>(
    existingEntries.map((level) => [level.id, toLevelKey(level)]),
  );
  const changes = [
    ...changedEntries.map((level) => ({ identity: level.id, level })),
    ...addedEntries.map((level) => ({ identity: level, level })),
  ];
  for (const { identity, level } of changes) {
    keys.set(identity, toLevelKey(level));
    if (new Set(keys.values()).size === keys.size) continue;
    const subject = level.user_id !== null ? 'user' : level.group_id !== null ? 'group' : 'access level';
    return fail('levelsInvalid', { texts: [`${LIST_TITLES[level.kind]} ${subject} has already been taken`] });
  }
}

/**
 * Checks users and groups of the entries: users must be members of the project; tier free allows roles only; groups
 * are never allowed.
 */
export async function checkLevels(
  uow: UnitOfWork,
  project: { readonly id: number; readonly namespace_id: number },
  levels: readonly CreateAccessLevelInput[],
): Promise<undefined | Failure<'levelsInvalid'>> {
  const memberIds = await findMemberIds(
    uow,
    project,
    levels.flatMap(({ user_id }) => user_id ?? []),
  );
  const texts = levels.flatMap(({ kind, user_id, group_id }) => {
    const title = LIST_TITLES[kind];
    if (user_id !== null && (uow.tier === 'free' || !memberIds.has(user_id)))
      return `${title} user is not a member of the project`;
    return group_id === null ? [] : `${title} group does not have access to the project`;
  });
  return texts.length === 0 ? undefined : fail('levelsInvalid', { texts: [...new Set(texts)] });
}

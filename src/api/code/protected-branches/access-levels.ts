import { NO_ONE } from '#authorization/protected-branches/access-level-descriptions.ts';
import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import type { NewLevel } from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { hash, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { arrayOf, boolean, integer, integerIn } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { membersAmong } from './store.ts';

export const KINDS: readonly RuleKind[] = ['push', 'merge', 'unprotect'];

/** Roles that each kind of entries may name. */
export const ALLOWED = {
  push: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  merge: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  unprotect: [DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
} as const satisfies Record<RuleKind, readonly number[]>;

const levelParams = (kind: RuleKind) => ({
  id: optional(integer),
  access_level: optional(integerIn(ALLOWED[kind])),
  user_id: optional(integer),
  group_id: optional(integer),
  _destroy: optional(boolean),
});

/** One element of `allowed_to_push` and the like: what it leaves out is not said. */
export type GivenLevel = Partial<ParameterValues<ReturnType<typeof levelParams>>>;

/** `allowed_to_push`, `allowed_to_merge`, `allowed_to_unprotect`. Which element is wrong is not told. */
export function levelsOf(kind: RuleKind) {
  const element = hash(levelParams(kind));
  const read: typeof element.read = (raw, name, problems) => element.read(raw, name.replace(/\[\d+\]$/, ''), problems);
  return optional(arrayOf({ ...element, read }), []);
}

const TITLES: Readonly<Record<RuleKind, string>> = {
  push: 'Push access levels',
  merge: 'Merge access levels',
  unprotect: 'Unprotect access levels',
};

/** An element as a row; one of role, user and group. */
export function toLevel(kind: RuleKind, given: GivenLevel): NewLevel {
  const user_id = given.user_id ?? null;
  const group_id = user_id === null ? (given.group_id ?? null) : null;
  const role = user_id === null && group_id === null ? given.access_level : null;
  return { kind, access_level: role ?? MAINTAINER, user_id, group_id };
}

/** Does an element with an `id` say whom its entry shall admit from now on? */
export function saysWhom({ access_level, user_id, group_id }: GivenLevel): boolean {
  return access_level != null || user_id != null || group_id != null;
}

/** No two rows of one rule and kind are the same. */
export function distinct(levels: readonly NewLevel[]): NewLevel[] {
  return [...new Map(levels.map((level) => [keyOf(level), level])).values()];
}

function keyOf({ kind, access_level, user_id, group_id }: NewLevel): string {
  return user_id === null && group_id === null ? `${kind} role ${access_level}` : `${kind} ${user_id} ${group_id}`;
}

/**
 * Entries of one kind that are changed, and then added, one after the other: none may become what another one is at that
 * moment.
 */
export function checkTaken(
  standing: readonly (NewLevel & { readonly id: number })[],
  changed: readonly (NewLevel & { readonly id: number })[],
  added: readonly NewLevel[],
): undefined | Failure<'levelsInvalid'> {
  const keys = new Map<number | NewLevel, string>(standing.map((level) => [level.id, keyOf(level)]));
  for (const level of [...changed, ...added]) {
    keys.set('id' in level ? (level.id as number) : level, keyOf(level));
    if (new Set(keys.values()).size === keys.size) continue;
    const what = level.user_id !== null ? 'user' : level.group_id !== null ? 'group' : 'access level';
    return fail('levelsInvalid', { texts: [`${TITLES[level.kind]} ${what} has already been taken`] });
  }
}

/** Whom a rule may admit besides roles: members of the project; on tier free roles alone. Nothing is shared with groups. */
export async function checkLevels(
  uow: UnitOfWork,
  project: { readonly id: number; readonly namespace_id: number },
  levels: readonly NewLevel[],
): Promise<undefined | Failure<'levelsInvalid'>> {
  const members = await membersAmong(
    uow,
    project,
    levels.flatMap(({ user_id }) => user_id ?? []),
  );
  const texts = levels.flatMap(({ kind, user_id, group_id }) => {
    const title = TITLES[kind];
    if (user_id !== null && (uow.tier === 'free' || !members.has(user_id)))
      return `${title} user is not a member of the project`;
    return group_id === null ? [] : `${title} group does not have access to the project`;
  });
  return texts.length === 0 ? undefined : fail('levelsInvalid', { texts: [...new Set(texts)] });
}

import type { RuleKind } from '../../../access/branches.ts';
import type { NewLevel } from '../../../access/protected-branches.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '../../../access/roles.ts';
import { NO_ONE } from '../../../access/rule-entries.ts';
import type { Act } from '../../../facts/act.ts';
import { optional, type ParameterValues } from '../../../http/parameters/declarations.ts';
import { boolean, integer } from '../../../http/parameters/types.ts';
import { type Refused, refused } from '../../../refused.ts';
import { membersAmong } from './store.ts';

/** One element of `allowed_to_push`, `allowed_to_merge`, `allowed_to_unprotect`. */
export const levelParams = {
  id: optional(integer),
  access_level: optional(integer),
  user_id: optional(integer),
  group_id: optional(integer),
  _destroy: optional(boolean),
};

/** What it leaves out is not said. */
export type GivenLevel = Partial<ParameterValues<typeof levelParams>>;

export const KINDS: readonly RuleKind[] = ['push', 'merge', 'unprotect'];

/** Roles that each kind of entries may name. */
export const ALLOWED = {
  push: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  merge: [NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
  unprotect: [DEVELOPER, MAINTAINER, INSTANCE_ADMIN],
} as const satisfies Record<RuleKind, readonly number[]>;

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

/** Entries of one kind that are changed one after the other: none may become what another one is at that moment. */
export function checkTaken(
  standing: readonly (NewLevel & { readonly id: number })[],
  changed: readonly (NewLevel & { readonly id: number })[],
): undefined | Refused<'levelsInvalid'> {
  const keys = new Map(standing.map((level) => [level.id, keyOf(level)]));
  for (const level of changed) {
    keys.set(level.id, keyOf(level));
    if (new Set(keys.values()).size === keys.size) continue;
    const what = level.user_id !== null ? 'user' : level.group_id !== null ? 'group' : 'access level';
    return refused('levelsInvalid', { texts: [`${TITLES[level.kind]} ${what} has already been taken`] });
  }
}

/** Whom a rule may admit: known roles, members of the project; on tier free roles alone. Nothing is shared with groups. */
export async function checkLevels(
  act: Act,
  project: { readonly id: number; readonly namespace_id: number },
  levels: readonly NewLevel[],
): Promise<undefined | Refused<'levelsInvalid'>> {
  const members = await membersAmong(
    act,
    project,
    levels.flatMap(({ user_id }) => user_id ?? []),
  );
  const texts = levels.flatMap(({ kind, access_level, user_id, group_id }) => {
    const title = TITLES[kind];
    if (user_id !== null && (act.tier === 'free' || !members.has(user_id)))
      return `${title} user is not a member of the project`;
    if (group_id !== null) return `${title} group does not have access to the project`;
    return (ALLOWED[kind] as readonly number[]).includes(access_level)
      ? []
      : `${title} access level is not included in the list`;
  });
  return texts.length === 0 ? undefined : refused('levelsInvalid', { texts: [...new Set(texts)] });
}

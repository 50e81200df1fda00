import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

/** The user, group or role that an access level of a protected branch or environment allows. */
export interface AccessPrincipal {
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
}

/** Returns the `access_level_description` of an access level. */
export type AccessDescriber = (principal: AccessPrincipal) => string;

// index: users primary key
const userNames = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));

// index: namespaces primary key
const groupNames = prepareForIds((db, ids) =>
  db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', ids),
);

/**
 * Loads the names for these access levels and returns a function that describes one of them. `roles`: texts for roles.
 */
export async function loadAccessDescriber(
  roles: Readonly<Record<number, string>>,
  db: Reader,
  elements: readonly AccessPrincipal[],
): Promise<AccessDescriber> {
  const ids = (key: 'user_id' | 'group_id') => [...new Set(elements.flatMap((one) => one[key] ?? []))];
  const users = byId(await userNames(db, ids('user_id')));
  const groups = byId(await groupNames(db, ids('group_id')));
  return ({ access_level, user_id, group_id }) => {
    if (user_id !== null) return users.get(user_id) ?? '';
    if (group_id !== null) return groups.get(group_id) ?? '';
    return roles[access_level ?? 0] ?? '';
  };
}

function byId(rows: readonly { readonly id: number; readonly name: string }[]): Map<number, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}

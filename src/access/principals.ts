import type { Reader } from '../database/database.ts';
import { prepareForIds } from '../database/prepare.ts';
import type { Principal } from './protected-environments.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from './roles.ts';

/** What the elements of protected environments are called (contract/environments.md Part 2). */

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [REPORTER]: 'Reporters + Developers + Maintainers',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Administrators',
};

type Whom = Pick<Principal, 'access_level' | 'user_id' | 'group_id'>;

/** Whom an element admits, in words: its `access_level_description`. */
export type Describe = (principal: Whom) => string;

// index: users primary key
const userNames = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));

// index: namespaces primary key
const groupNames = prepareForIds((db, ids) =>
  db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', ids),
);

/** Knows the words for all of these elements. */
export async function describing(db: Reader, principals: readonly Whom[]): Promise<Describe> {
  const ids = (key: 'user_id' | 'group_id') => [...new Set(principals.flatMap((one) => one[key] ?? []))];
  const users = byId(await userNames(db, ids('user_id')));
  const groups = byId(await groupNames(db, ids('group_id')));
  return ({ access_level, user_id, group_id }) => {
    if (user_id !== null) return users.get(user_id) ?? '';
    if (group_id !== null) return groups.get(group_id) ?? '';
    return ROLE_TEXTS[access_level ?? 0] ?? '';
  };
}

function byId(rows: readonly { readonly id: number; readonly name: string }[]): Map<number, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}

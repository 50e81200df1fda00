import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

/** Whom an element of a rule admits, be it of branches or of environments: one of a user, a group and a role. */
export interface Admitted {
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
}

/** Whom an element admits, in words: its `access_level_description`. */
export type Describe = (admitted: Admitted) => string;

// index: users primary key
const userNames = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids));

// index: namespaces primary key
const groupNames = prepareForIds((db, ids) =>
  db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', ids),
);

/** Knows the words for all of these elements; `roles`: what roles are called here. */
export async function describingWith(
  roles: Readonly<Record<number, string>>,
  db: Reader,
  elements: readonly Admitted[],
): Promise<Describe> {
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

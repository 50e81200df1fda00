import fc from 'fast-check';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { createUser } from '#authentication/users/users.ts';
import type { Database, Transaction } from '#database/database.ts';
import type { FeatureLevel } from '#database/tables/domain.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { insertRoute } from '#domain/namespaces/routes.ts';
import { isFailure } from '#runtime/failure.ts';
import { VISIBILITIES, type Visibility } from './visibility-levels.ts';

/** Random projects in random hands: what lists say and what is said of one thing must be the same in all of them. */

export interface DrawnPlace {
  readonly visibility: Visibility;
  /** Of the first user, in the project or the group above it. */
  readonly role: number | null;
  readonly above: boolean;
  readonly expiresAt: string | null;
}

export const drawnLevel: fc.Arbitrary<FeatureLevel> = fc.constantFrom('enabled', 'enabled', 'private', 'disabled');

/** For `fc.record`. */
export const drawnPlace = (today: string) => ({
  visibility: fc.constantFrom(...VISIBILITIES),
  role: fc.constantFrom(null, ...ROLES),
  above: fc.boolean(),
  expiresAt: fc.constantFrom(null, today, '2026-01-03'),
});

/** Two users, and those who ask: nobody, both of them, an administrator. */
export async function makeCallers(database: Database): Promise<{ users: readonly number[]; callers: Caller[] }> {
  const users = await database.transaction(async (tx) => [await makeUser(tx, 'ada'), await makeUser(tx, 'ben')]);
  const administrator = await database.transaction(async (tx) => {
    const id = await makeUser(tx, 'carol');
    await tx.updateTable('users').set({ admin: true }).where('id', '=', id).execute();
    return id;
  });
  const callerOf = (id: number, admin = false) => ({ ...ANONYMOUS, user: { id, admin } }) as Caller;
  return { users, callers: [ANONYMOUS, ...users.map((id) => callerOf(id)), callerOf(administrator, true)] };
}

async function makeUser(tx: Transaction, username: string): Promise<number> {
  const email = `${username}@hearth.test`;
  const created = await createUser(tx, {
    username,
    name: username,
    email,
    passwordHash: null,
    confirmed: true,
    details: {},
  });
  if (isFailure(created)) throw new Error(created.code);
  return created.id;
}

let places = 0;

type Levels = { readonly issues_access_level?: FeatureLevel; readonly merge_requests_access_level?: FeatureLevel };

/** The project's id. */
export async function makeDrawnPlace(
  tx: Transaction,
  userId: number,
  { visibility, role, above, expiresAt, levels }: DrawnPlace & { readonly levels: Levels },
): Promise<number> {
  const path = `place-${++places}`;
  const group = { kind: 'group', owner_id: null, parent_id: null, path, name: path, visibility } as const;
  const groupId = await createNamespace(tx, group, { full_path: path, full_name: path });
  const times = { last_activity_at: tx.now, created_at: tx.now, updated_at: tx.now };
  const project = { namespace_id: groupId, path, name: path, name_key: path, visibility, ...levels };
  const { id } = await tx
    .insertInto('projects')
    .values({ ...project, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, { full_path: `${path}/${path}`, full_name: path });
  const repository = { project_id: id, storage: 'default', disk_path: path, default_branch: 'main' };
  await tx.insertInto('repositories').values(repository).execute();
  const source = above ? ({ type: 'group', id: groupId } as const) : ({ type: 'project', id } as const);
  if (role !== null) await createMembership(tx, source, { userId, accessLevel: role, expiresAt, createdById: null });
  return id;
}

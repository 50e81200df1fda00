import fc from 'fast-check';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { createUser } from '#authentication/users/users.ts';
import type { Database, Transaction } from '#database/database.ts';
import type { FeatureLevel } from '#database/schema.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { insertRoute } from '#domain/namespaces/routes.ts';
import { isFailure } from '#runtime/failure.ts';
import { VISIBILITIES, type Visibility } from './visibility.ts';

// Random projects for tests that compare the SQL conditions of lists with the checks of single rows.

export interface RandomProject {
  readonly visibility: Visibility;
  /** Role of the first user; null without a membership. `above`: the membership is in the project's group. */
  readonly role: number | null;
  readonly above: boolean;
  readonly expiresAt: string | null;
}

export const randomFeatureLevel: fc.Arbitrary<FeatureLevel> = fc.constantFrom(
  'enabled',
  'enabled',
  'private',
  'disabled',
);

/** Returns the arbitraries for `fc.record`. */
export const createRandomProjectFields = (today: string) => ({
  visibility: fc.constantFrom(...VISIBILITIES),
  role: fc.constantFrom(null, ...ROLES),
  above: fc.boolean(),
  expiresAt: fc.constantFrom(null, today, '2026-01-03'),
});

/** Creates two users and an administrator. Returns the users, and as callers an anonymous one and all three. */
export async function insertTestCallers(database: Database): Promise<{ users: readonly number[]; callers: Caller[] }> {
  const users = await database.transaction(async (tx) => [
    await insertTestUser(tx, 'ada'),
    await insertTestUser(tx, 'ben'),
  ]);
  const administrator = await database.transaction(async (tx) => {
    const id = await insertTestUser(tx, 'carol');
    await tx.updateTable('users').set({ admin: true }).where('id', '=', id).execute();
    return id;
  });
  const toCaller = (id: number, admin = false) => ({ ...ANONYMOUS, user: { id, admin } }) as Caller;
  return { users, callers: [ANONYMOUS, ...users.map((id) => toCaller(id)), toCaller(administrator, true)] };
}

async function insertTestUser(tx: Transaction, username: string): Promise<number> {
  const email = `${username}@hearth.test`;
  const user = await createUser(tx, {
    username,
    name: username,
    email,
    passwordHash: null,
    confirmed: true,
    details: {},
  });
  if (isFailure(user)) throw new Error(user.code);
  return user.id;
}

let projectCount = 0;

type Levels = { readonly issues_access_level?: FeatureLevel; readonly merge_requests_access_level?: FeatureLevel };

/** Creates a random project in its own group, with the membership of the user. Returns the project's id. */
export async function createRandomProject(
  tx: Transaction,
  userId: number,
  { visibility, role, above, expiresAt, levels }: RandomProject & { readonly levels: Levels },
): Promise<number> {
  const path = `place-${++projectCount}`;
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

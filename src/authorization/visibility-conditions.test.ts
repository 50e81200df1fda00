import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { createUser } from '#authentication/users/users.ts';
import type { Transaction } from '#database/database.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import {
  groupActiveCondition,
  groupArchivedCondition,
  projectActiveCondition,
  projectArchivedCondition,
} from '#domain/namespaces/archive-state.ts';
import { canSeeGroup, findGroup, type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { canSeeProject, findProjects, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { insertRoute } from '#domain/namespaces/routes.ts';
import { isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import {
  groupVisibleTo,
  groupWithMember,
  groupWithRole,
  projectVisibleTo,
  projectWithRole,
  projectWithRoleIndexed,
  VISIBILITIES,
  type Visibility,
} from './visibility.ts';

// What lists say and what is said of one row must be the same: random worlds of groups, projects and memberships.

const SEED = 20260103;
const RUNS = 40;
const TODAY = '2026-01-02';
const USERS = 3;

const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

interface Draft {
  /** Each below the one that `parent` chooses among those before it; every fourth at the top. */
  readonly groups: readonly {
    readonly parent: number;
    readonly visibility: Visibility;
    readonly archived: boolean;
    readonly marked: boolean;
  }[];
  readonly projects: readonly { readonly group: number; readonly visibility: Visibility; readonly archived: boolean }[];
  readonly memberships: readonly {
    readonly user: number;
    readonly inProject: boolean;
    readonly source: number;
    readonly role: number;
    readonly expiresAt: string | null;
  }[];
}

const visibility = fc.constantFrom(...VISIBILITIES, 'private' as const);
const rarely = fc.constantFrom(true, false, false, false);
const draft: fc.Arbitrary<Draft> = fc.record({
  groups: fc.array(fc.record({ parent: fc.nat(), visibility, archived: rarely, marked: rarely }), {
    minLength: 1,
    maxLength: 6,
  }),
  projects: fc.array(fc.record({ group: fc.nat(), visibility, archived: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
  memberships: fc.array(
    fc.record({
      user: fc.nat(USERS - 1),
      inProject: fc.boolean(),
      source: fc.nat(),
      role: fc.constantFrom(...ROLES),
      expiresAt: fc.constantFrom(null, null, '2026-01-01', TODAY, '2026-01-03'),
    }),
    { maxLength: 8 },
  ),
});

interface Place {
  readonly groups: readonly number[];
  readonly projects: readonly number[];
}

let worlds = 0;
let userIds: number[] = [];

async function makeUsers(tx: Transaction): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < USERS; index++) ids.push(await makeUser(tx, `member-${index}`));
  return ids;
}

async function makeUser(tx: Transaction, username: string): Promise<number> {
  const created = await createUser(tx, {
    username,
    name: username,
    email: `${username}@hearth.test`,
    passwordHash: null,
    confirmed: true,
    details: {},
  });
  if (isFailure(created)) throw new Error(`${username}: ${created.code}`);
  return created.id;
}

async function make(tx: Transaction, { groups, projects, memberships }: Draft): Promise<Place> {
  const prefix = `world-${++worlds}`;
  const groupIds: number[] = [];
  for (const [index, { parent, visibility, archived, marked }] of groups.entries()) {
    const above = index === 0 || parent % 4 === 0 ? null : (groupIds[parent % index] ?? null);
    const path = `${prefix}-${index}`;
    const group = { kind: 'group', owner_id: null, parent_id: above, path, name: path, visibility } as const;
    // Where it stands in the tree is in the closure; its path is only a name here.
    const id = await createNamespace(tx, group, { full_path: path, full_name: path });
    groupIds.push(id);
    const state = { archived, marked_for_deletion_on: marked ? TODAY : null };
    await tx.updateTable('namespaces').set(state).where('id', '=', id).execute();
  }
  const projectIds: number[] = [];
  for (const [index, project] of projects.entries()) {
    const namespaceId = groupIds[project.group % groupIds.length] ?? 0;
    projectIds.push(await makeProject(tx, `${prefix}-p${index}`, { ...project, namespaceId }));
  }
  const taken = new Set<string>();
  for (const { user, inProject, source, role, expiresAt } of memberships) {
    const ids = inProject ? projectIds : groupIds;
    const place = { type: inProject ? 'project' : 'group', id: ids[source % ids.length] ?? 0 } as const;
    const key = `${user} ${place.type} ${place.id}`;
    if (taken.has(key)) continue;
    taken.add(key);
    await createMembership(tx, place, { userId: userIds[user] ?? 0, accessLevel: role, expiresAt, createdById: null });
  }
  return { groups: groupIds, projects: projectIds };
}

interface NewProject {
  readonly namespaceId: number;
  readonly visibility: Visibility;
  readonly archived: boolean;
}

async function makeProject(tx: Transaction, path: string, { namespaceId, visibility, archived }: NewProject) {
  const times = { last_activity_at: tx.now, created_at: tx.now, updated_at: tx.now };
  const { id } = await tx
    .insertInto('projects')
    .values({ namespace_id: namespaceId, path, name: path, name_key: path, visibility, archived, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, { full_path: `${path}/${path}`, full_name: path });
  const repository = { project_id: id, storage: 'default', disk_path: path, default_branch: 'main' };
  await tx.insertInto('repositories').values(repository).execute();
  return id;
}

const callerOf = (id: number, admin = false) => ({ ...ANONYMOUS, user: { id, admin } }) as Caller;

/** The projects of this world that the condition lets through. */
async function listedProjects({ projects }: Place, condition: ReturnType<typeof projectVisibleTo>): Promise<number[]> {
  const rows = await reader
    .selectFrom('projects')
    .select('id')
    .where('id', 'in', projects)
    .where(condition)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

async function listedGroups({ groups }: Place, condition: ReturnType<typeof groupVisibleTo>): Promise<number[]> {
  const rows = await reader
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', groups)
    .where(condition)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b);

async function checkProjects(place: Place, caller: Caller): Promise<void> {
  const rows = await findProjects(reader, caller, place.projects);
  const agree = async (condition: ReturnType<typeof projectVisibleTo>, check: (project: Project) => boolean) =>
    assert.deepEqual(await listedProjects(place, condition), idsOf(rows.filter(check)));
  await agree(projectVisibleTo(caller, TODAY), (project) => canSeeProject(caller, project));
  for (const is of [true, false]) await agree(projectArchivedCondition(is), (project) => project.archived === is);
  if (caller.user === null || caller.user.admin) return;
  for (const role of ROLES) {
    const has = (project: Project) => getProjectRole(caller, project) >= role;
    await agree(projectWithRole(caller.user.id, role, TODAY), has);
    await agree(projectWithRoleIndexed(reader, caller.user.id, role), has);
  }
}

async function checkGroups(place: Place, caller: Caller): Promise<void> {
  const found = await Promise.all(place.groups.map((id) => findGroup(reader, caller, String(id))));
  const rows = found.filter((group) => group !== null);
  assert.equal(rows.length, place.groups.length);
  const agree = async (condition: ReturnType<typeof groupVisibleTo>, check: (group: Group) => boolean) =>
    assert.deepEqual(await listedGroups(place, condition), idsOf(rows.filter(check)));
  await agree(groupVisibleTo(caller, TODAY), (group) => canSeeGroup(caller, group));
  const isActive = ({ archived, marked }: Group) => !archived && !marked;
  for (const is of [true, false]) {
    await agree(groupArchivedCondition(is), (group) => group.archived === is);
    await agree(groupActiveCondition(is), (group) => isActive(group) === is);
  }
  await checkActive(place, new Set(idsOf(rows.filter(isActive))));
  if (caller.user === null || caller.user.admin) return;
  const { id } = caller.user;
  await agree(groupWithMember(id, TODAY), (group) => getGroupRole(caller, group) > 0 || group.member_below === 1);
  for (const role of ROLES) await agree(groupWithRole(id, role, TODAY), (group) => getGroupRole(caller, group) >= role);
}

/** Projects are active that are not archived themselves and lie in active groups. */
async function checkActive(place: Place, activeGroups: ReadonlySet<number>): Promise<void> {
  const rows = await findProjects(reader, ANONYMOUS, place.projects);
  for (const is of [true, false]) {
    const found = rows.filter((row) => (!row.archived && activeGroups.has(row.namespace_id)) === is);
    assert.deepEqual(await listedProjects(place, projectActiveCondition(is)), idsOf(found));
  }
}

test('lists contain exactly the projects and groups that the caller can see', async () => {
  userIds = await database.transaction(makeUsers);
  const outsider = await database.transaction((tx) => makeUser(tx, 'outsider'));
  const administrator = await database.transaction((tx) => makeUser(tx, 'administrator'));
  const callers = [ANONYMOUS, ...[...userIds, outsider].map((id) => callerOf(id)), callerOf(administrator, true)];
  const property = fc.asyncProperty(draft, async (drawn) => {
    const place = await database.transaction((tx) => make(tx, drawn));
    for (const caller of callers) {
      await checkProjects(place, caller);
      await checkGroups(place, caller);
    }
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
});

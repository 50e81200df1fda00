import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { createUser } from '#authentication/users/users.ts';
import type { Transaction } from '#database/database.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { insertRoute } from '#domain/namespaces/routes.ts';
import { isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { epicInGroupVisibleTo, epicVisibleTo, findDescendantEpic, findEpics, mayReadEpic } from './epics.ts';
import { VISIBILITIES, type Visibility } from './visibility.ts';

// What lists say and what is said of one epic must be the same: a group, one above it, one below it, members and epics.

const TODAY = '2026-01-02';
const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

const PLACES = ['above', 'itself', 'below', 'project below'] as const;

interface Draft {
  readonly visibility: Visibility;
  readonly member: {
    readonly place: (typeof PLACES)[number];
    readonly role: number;
    readonly expiresAt: string | null;
  } | null;
  readonly epics: readonly boolean[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
  visibility: fc.constantFrom(...VISIBILITIES),
  member: fc.option(
    fc.record({
      place: fc.constantFrom(...PLACES),
      role: fc.constantFrom(...ROLES),
      expiresAt: fc.constantFrom(null, TODAY, '2026-01-03'),
    }),
  ),
  epics: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
});

async function makeUser(tx: Transaction, username: string): Promise<number> {
  const email = `${username}@hearth.test`;
  const user = { username, name: username, email, passwordHash: null, confirmed: true, details: {} };
  const created = await createUser(tx, user);
  if (isFailure(created)) throw new Error(created.code);
  return created.id;
}

let worlds = 0;

interface Made {
  readonly above: number;
  readonly group: number;
}

async function make(tx: Transaction, userId: number, { visibility, member, epics }: Draft): Promise<Made> {
  const path = `place-${++worlds}`;
  const insert = (name: string, parent_id: number | null) => {
    const row = { kind: 'group', owner_id: null, parent_id, path: name, name, visibility } as const;
    return createNamespace(tx, row, { full_path: `${path}-${name}`, full_name: name });
  };
  const above = await insert('above', null);
  const group = await insert('itself', above);
  const below = await insert('below', group);
  if (member !== null) {
    const ids = { above, itself: group, below };
    const source =
      member.place === 'project below'
        ? ({ type: 'project', id: await makeProject(tx, below, path) } as const)
        : ({ type: 'group', id: ids[member.place] } as const);
    const { role: accessLevel, expiresAt } = member;
    await createMembership(tx, source, { userId, accessLevel, expiresAt, createdById: null });
  }
  for (const [index, confidential] of epics.entries()) await makeEpic(tx, userId, group, index + 1, confidential);
  return { above, group };
}

async function makeProject(tx: Transaction, namespaceId: number, path: string): Promise<number> {
  const times = { last_activity_at: tx.now, created_at: tx.now, updated_at: tx.now };
  const project = { namespace_id: namespaceId, path, name: path, name_key: path, visibility: 'private' } as const;
  const { id } = await tx
    .insertInto('projects')
    .values({ ...project, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, { full_path: `${path}/${path}`, full_name: path });
  return id;
}

async function makeEpic(tx: Transaction, authorId: number, groupId: number, iid: number, confidential: boolean) {
  const text = { title: 'T', title_key: 't', description: null, description_key: null, color: '#1068bf' };
  const nothing = { closed_at: null, closed_by_id: null, parent_id: null };
  const dates = { dates_are_fixed: false, start_date_fixed: null, due_date_fixed: null };
  const own = { group_id: groupId, iid, author_id: authorId, state: 'opened', confidential } as const;
  const times = { created_at: tx.now, updated_at: tx.now };
  await tx
    .insertInto('epics')
    .values({ ...own, ...text, ...nothing, ...dates, ...times })
    .execute();
}

async function check(caller: Caller, { above, group: id }: Made): Promise<void> {
  const all = await reader.selectFrom('epics').select('id').where('group_id', '=', id).orderBy('id').execute();
  const group = (await findGroup(reader, caller, String(id))) as Group;
  const sees = canSeeGroup(caller, group);
  const rows = await findEpics(
    reader,
    all.map((row) => row.id),
  );
  const readable = rows.filter((epic) => sees && mayReadEpic(caller, group, epic)).map((row) => row.id);
  const listed = await reader
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .where('epics.group_id', '=', id)
    .where(epicVisibleTo(caller, TODAY))
    .orderBy('epics.id')
    .execute();
  assert.deepEqual(
    listed.map((row) => row.id),
    readable,
  );
  const found = await findDescendantEpic(reader, caller, { id: above }, rows[0]!.id);
  assert.equal(found?.group.id, sees ? id : undefined);
  if (!sees) return;
  const own = await reader
    .selectFrom('epics')
    .select('epics.id')
    .where('epics.group_id', '=', id)
    .where(epicInGroupVisibleTo(caller, group))
    .orderBy('epics.id')
    .execute();
  assert.deepEqual(
    own.map((row) => row.id),
    readable,
  );
}

test('lists contain exactly the epics that the caller may read', async () => {
  const [ada, carol] = await database.transaction(async (tx) => {
    const both = [await makeUser(tx, 'ada'), await makeUser(tx, 'carol')] as const;
    await tx.updateTable('users').set({ admin: true }).where('id', '=', both[1]).execute();
    return both;
  });
  const callerOf = (id: number, admin = false) => ({ ...ANONYMOUS, user: { id, admin } }) as Caller;
  const callers = [ANONYMOUS, callerOf(ada), callerOf(carol, true)];
  const property = fc.asyncProperty(draft, async (drawn) => {
    const made = await database.transaction((tx) => make(tx, ada, drawn));
    for (const caller of callers) await check(caller, made);
  });
  await fc.assert(property, { seed: 20260104, numRuns: 60 });
});

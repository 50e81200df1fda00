import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { testClock } from '../../test/clock.ts';
import { testDatabase } from '../../test/engines/engine.ts';
import type { Transaction } from '../database/database.ts';
import { type Caller, NOBODY } from '../identity/caller.ts';
import { createUser } from '../identity/users.ts';
import { isRefused } from '../refused.ts';
import { findIssues, issueOfProjectVisibleTo, issueVisibleTo, mayReadIssue, readersAmong } from './issues.ts';
import { addMembership } from './memberships.ts';
import { insertNamespace } from './namespaces.ts';
import { canSeeProject, findProject, type Project } from './projects.ts';
import { ROLES } from './roles.ts';
import { insertRoute } from './routes.ts';
import { VISIBILITIES, type Visibility } from './visibility.ts';

// What lists say and what is said of one issue must be the same: random projects, members and issues.

const TODAY = '2026-01-02';
const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

interface Draft {
  readonly visibility: Visibility;
  readonly level: 'enabled' | 'private' | 'disabled';
  /** Of the first user, in the project or the group above it. */
  readonly role: number | null;
  readonly above: boolean;
  readonly expiresAt: string | null;
  readonly issues: readonly { readonly confidential: boolean; readonly author: number; readonly assignee: number }[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
  visibility: fc.constantFrom(...VISIBILITIES),
  level: fc.constantFrom('enabled', 'enabled', 'private', 'disabled'),
  role: fc.constantFrom(null, ...ROLES),
  above: fc.boolean(),
  expiresAt: fc.constantFrom(null, TODAY, '2026-01-03'),
  issues: fc.array(fc.record({ confidential: fc.boolean(), author: fc.nat(1), assignee: fc.nat(2) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

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
  if (isRefused(created)) throw new Error(created.code);
  return created.id;
}

let worlds = 0;

/** The project's id. */
async function make(tx: Transaction, users: readonly number[], { visibility, level, ...more }: Draft): Promise<number> {
  const path = `place-${++worlds}`;
  const group = { kind: 'group', owner_id: null, parent_id: null, path, name: path, visibility } as const;
  const groupId = await insertNamespace(tx, group, { full_path: path, full_name: path });
  const times = { last_activity_at: tx.now, created_at: tx.now, updated_at: tx.now };
  const project = { namespace_id: groupId, path, name: path, name_key: path, visibility, issues_access_level: level };
  const { id } = await tx
    .insertInto('projects')
    .values({ ...project, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, { full_path: `${path}/${path}`, full_name: path });
  const repository = { project_id: id, storage: 'default', disk_path: path, default_branch: 'main' };
  await tx.insertInto('repositories').values(repository).execute();
  const source = more.above ? ({ type: 'group', id: groupId } as const) : ({ type: 'project', id } as const);
  const member = { userId: users[0]!, accessLevel: more.role ?? 0, expiresAt: more.expiresAt, createdById: null };
  if (more.role !== null) await addMembership(tx, source, member);
  for (const [index, issue] of more.issues.entries()) await makeIssue(tx, users, id, index + 1, issue);
  return id;
}

async function makeIssue(
  tx: Transaction,
  users: readonly number[],
  projectId: number,
  iid: number,
  { confidential, author, assignee }: Draft['issues'][number],
): Promise<void> {
  const text = { title: 'T', title_key: 't', description: null, description_key: null };
  const nothing = { closed_at: null, closed_by_id: null, discussion_locked: null, start_date: null, due_date: null };
  const rest = {
    weight: null,
    milestone_id: null,
    moved_to_id: null,
    relative_position: iid,
    issue_type: 'issue',
  } as const;
  const own = { project_id: projectId, iid, author_id: users[author]!, state: 'opened', confidential } as const;
  const row = { ...own, ...text, ...nothing, ...rest, created_at: tx.now, updated_at: tx.now };
  const { id } = await tx.insertInto('issues').values(row).returning('id').executeTakeFirstOrThrow();
  const user = users[assignee];
  if (user !== undefined) await tx.insertInto('issue_assignees').values({ issue_id: id, user_id: user }).execute();
}

async function check(caller: Caller, project: Project): Promise<void> {
  const all = await reader
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute();
  const rows = await findIssues(
    reader,
    caller,
    all.map(({ id }) => id),
  );
  const sees = canSeeProject(caller, project);
  const readable = rows.filter((issue) => sees && mayReadIssue(caller, project, issue)).map(({ id }) => id);
  const listed = await reader
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('issues.id')
    .where('issues.project_id', '=', project.id)
    .where(issueVisibleTo(caller, TODAY))
    .orderBy('issues.id')
    .execute();
  assert.deepEqual(
    listed.map(({ id }) => id),
    readable,
  );
  if (!sees) return;
  const own = await reader
    .selectFrom('issues')
    .select('issues.id')
    .where('issues.project_id', '=', project.id)
    .where(issueOfProjectVisibleTo(caller, project))
    .orderBy('issues.id')
    .execute();
  assert.deepEqual(
    own.map(({ id }) => id),
    readable,
  );
  const { user } = caller;
  if (user === null) return;
  for (const issue of rows.filter(({ assigned }) => assigned === 0)) {
    const among = await readersAmong(reader, project, issue, [user.id]);
    assert.deepEqual(among, readable.includes(issue.id) ? [user.id] : []);
  }
}

test('lists hold exactly the issues that are let through one by one', async () => {
  const users = await database.transaction(async (tx) => [await makeUser(tx, 'ada'), await makeUser(tx, 'ben')]);
  const administrator = await database.transaction(async (tx) => {
    const id = await makeUser(tx, 'carol');
    await tx.updateTable('users').set({ admin: true }).where('id', '=', id).execute();
    return id;
  });
  const callerOf = (id: number, admin = false) => ({ ...NOBODY, user: { id, admin } }) as Caller;
  const callers = [NOBODY, ...users.map((id) => callerOf(id)), callerOf(administrator, true)];
  const property = fc.asyncProperty(draft, async (drawn) => {
    const id = await database.transaction((tx) => make(tx, users, drawn));
    for (const caller of callers) await check(caller, (await findProject(reader, caller, String(id))) as Project);
  });
  await fc.assert(property, { seed: 20260103, numRuns: 100 });
});

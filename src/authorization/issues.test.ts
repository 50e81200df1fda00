import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Caller } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import type { FeatureLevel } from '#database/schema.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { filterIssueReaders, findIssues, issueInProjectVisibleTo, issueVisibleTo, mayReadIssue } from './issues.ts';
import {
  createRandomProject,
  createRandomProjectFields,
  insertTestCallers,
  type RandomProject,
  randomFeatureLevel,
} from './random-namespaces.testing.ts';

// What lists say and what is said of one issue must be the same: random projects, members and issues.

const TODAY = '2026-01-02';
const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

interface Draft extends RandomProject {
  readonly level: FeatureLevel;
  readonly issues: readonly { readonly confidential: boolean; readonly author: number; readonly assignee: number }[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
  ...createRandomProjectFields(TODAY),
  level: randomFeatureLevel,
  issues: fc.array(fc.record({ confidential: fc.boolean(), author: fc.nat(1), assignee: fc.nat(2) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

/** The project's id. */
async function make(tx: Transaction, users: readonly number[], { level, issues, ...place }: Draft): Promise<number> {
  const id = await createRandomProject(tx, users[0]!, { ...place, levels: { issues_access_level: level } });
  for (const [index, issue] of issues.entries()) await makeIssue(tx, users, id, index + 1, issue);
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
    .where(issueInProjectVisibleTo(caller, project))
    .orderBy('issues.id')
    .execute();
  assert.deepEqual(
    own.map(({ id }) => id),
    readable,
  );
  const { user } = caller;
  if (user === null) return;
  for (const issue of rows.filter(({ assigned }) => assigned === 0)) {
    const among = await filterIssueReaders(reader, project, issue, [user.id]);
    assert.deepEqual(among, readable.includes(issue.id) ? [user.id] : []);
  }
}

test('lists contain exactly the issues that the caller may read', async () => {
  const { users, callers } = await insertTestCallers(database);
  const property = fc.asyncProperty(draft, async (drawn) => {
    const id = await database.transaction((tx) => make(tx, users, drawn));
    for (const caller of callers) await check(caller, (await findProject(reader, caller, String(id))) as Project);
  });
  await fc.assert(property, { seed: 20260103, numRuns: 100 });
});

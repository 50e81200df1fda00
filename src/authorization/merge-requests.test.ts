import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Caller } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import type { FeatureLevel } from '#database/schema.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import {
  filterMergeRequestReaders,
  findMergeRequests,
  isOwnMergeRequest,
  mayReadMergeRequests,
  mergeRequestVisibleTo,
} from './merge-requests.ts';
import {
  createRandomProject,
  createRandomProjectFields,
  insertTestCallers,
  type RandomProject,
  randomFeatureLevel,
} from './random-namespaces.testing.ts';

// What lists say and what is said of one merge request must be the same: random projects and members.

const TODAY = '2026-01-02';
const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

interface Draft extends RandomProject {
  readonly level: FeatureLevel;
  readonly author: number;
  readonly assignee: number;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  ...createRandomProjectFields(TODAY),
  level: randomFeatureLevel,
  author: fc.nat(1),
  assignee: fc.nat(2),
});

/** The ids of the project and of its merge request. */
async function make(tx: Transaction, users: readonly number[], { level, author, assignee, ...place }: Draft) {
  const projectId = await createRandomProject(tx, users[0]!, {
    ...place,
    levels: { merge_requests_access_level: level },
  });
  const text = { title: 'T', title_key: 't', source_branch: 'a', target_branch: 'b', head_sha: '' };
  const state = { state: 'opened', draft: false, merge_status: 'unchecked', squash: false } as const;
  const times = { created_at: tx.now, updated_at: tx.now };
  const { id } = await tx
    .insertInto('merge_requests')
    .values({ project_id: projectId, iid: 1, author_id: users[author]!, ...text, ...state, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  const user = users[assignee];
  if (user !== undefined) {
    await tx.insertInto('merge_request_assignees').values({ merge_request_id: id, user_id: user }).execute();
  }
  return { projectId, id };
}

async function check(caller: Caller, project: Project, id: number, own: readonly number[]): Promise<void> {
  const [row] = await findMergeRequests(reader, caller, [id]);
  assert.equal(isOwnMergeRequest(caller, row!), own.includes(caller.user?.id ?? 0));
  const readable = canSeeProject(caller, project) && mayReadMergeRequests(caller, project);
  const listed = await reader
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select('merge_requests.id')
    .where('merge_requests.project_id', '=', project.id)
    .where(mergeRequestVisibleTo(caller, TODAY))
    .execute();
  assert.deepEqual(listed, readable ? [{ id }] : []);
  const { user } = caller;
  if (user === null) return;
  assert.deepEqual(await filterMergeRequestReaders(reader, project, [user.id]), readable ? [user.id] : []);
}

test('lists contain exactly the merge requests that the caller may read', async () => {
  const { users, callers } = await insertTestCallers(database);
  const property = fc.asyncProperty(draft, async (drawn) => {
    const { projectId, id } = await database.transaction((tx) => make(tx, users, drawn));
    const own = [users[drawn.author]!, users[drawn.assignee] ?? -1];
    for (const caller of callers) {
      await check(caller, (await findProject(reader, caller, String(projectId))) as Project, id, own);
    }
  });
  await fc.assert(property, { seed: 20260104, numRuns: 100 });
});

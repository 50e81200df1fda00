import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destroyMarkedGroups } from '#api/namespaces/groups/destroy.ts';
import { destroyMarkedProjects, destroyProjectBatch } from '#api/namespaces/projects/destroy.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { world } from '#test/support/world.ts';
import { BATCH_SIZE } from './batches.ts';

const { newProject, newGroup, server, root, user, runJobs } = await world();
const { database } = server.services;

/** So many issues of the project, as rows. */
async function newIssues(projectId: number, milestoneId: number, labelId: number, count: number): Promise<void> {
  const shared = { project_id: projectId, title: 'x', title_key: 'x', author_id: 1, state: 'opened' } as const;
  await database.transaction(async (tx) => {
    const times = { created_at: tx.now, updated_at: tx.now };
    const rows = Array.from({ length: count }, (_, index) => ({
      ...shared,
      ...times,
      iid: index + 1,
      confidential: false,
      issue_type: 'issue' as const,
      relative_position: index,
      milestone_id: milestoneId,
    }));
    const issues = await tx.insertInto('issues').values(rows).returning('id').execute();
    const ids = issues.map(({ id }) => id);
    await tx
      .insertInto('issue_labels')
      .values(ids.map((issue_id) => ({ issue_id, label_id: labelId })))
      .execute();
    const event = { milestone_id: milestoneId, action: 'add', state: 'opened', created_at: tx.now } as const;
    await tx
      .insertInto('resource_milestone_events')
      .values(ids.map((issue_id) => ({ ...event, issue_id })))
      .execute();
  });
}

/** How many acts there are while this is done. */
async function actsOf(work: () => Promise<void>): Promise<number> {
  const { transaction } = database;
  let acts = 0;
  const counted: typeof transaction = (...given) => {
    acts++;
    return transaction(...given);
  };
  Object.assign(database, { transaction: counted });
  await work();
  Object.assign(database, { transaction });
  return acts;
}

test('labels and milestones of many issues are deleted in batches and cleared from all issues', async () => {
  const { id, at, owner } = await newProject();
  const label = (await owner.post(`${at}/labels`, { name: 'common', color: 'red' })).body;
  const milestone = (await owner.post(`${at}/milestones`, { title: 'large' })).body;
  await newIssues(id, milestone.id, label.id, 2 * BATCH_SIZE + 1);
  const acts = await actsOf(async () => {
    assert.equal((await owner.delete(`${at}/labels/common`)).status, 204);
    assert.equal((await owner.delete(`${at}/milestones/${milestone.id}`)).status, 204);
  });
  assert.ok(acts >= 3 + 5, `${acts} acts`);
  const { reader } = database;
  const having = [
    reader.selectFrom('issues').select('id').where('milestone_id', 'is not', null),
    reader.selectFrom('resource_milestone_events').select('id').where('milestone_id', 'is not', null),
    reader.selectFrom('issue_labels').select('label_id as id'),
  ];
  assert.deepEqual(await Promise.all(having.map((rows) => rows.execute())), [[], [], []]);
  assert.equal((await owner.get(`${at}/labels/common`)).status, 404);
});

/** So many comments by somebody, on these issues in turn, which count them. */
async function newNotes(issueIds: readonly number[], authorId: number, count: number): Promise<void> {
  await database.transaction(async (tx) => {
    const note = { author_id: authorId, body: 'x', system: false, kind: null, internal: false };
    const times = { created_at: tx.now, updated_at: tx.now };
    const rows = Array.from({ length: count }, (_, index) => {
      const issue_id = issueIds[index % issueIds.length]!;
      return { ...note, ...times, issue_id, discussion_id: `${authorId} ${index}` };
    });
    for (let at = 0; at < count; at += BATCH_SIZE) {
      await tx
        .insertInto('notes')
        .values(rows.slice(at, at + BATCH_SIZE))
        .execute();
    }
    for (const [index, id] of issueIds.entries()) {
      const more = Math.ceil((count - index) / issueIds.length);
      await tx
        .updateTable('issues')
        .set((eb) => ({ user_notes_count: eb('user_notes_count', '+', more) }))
        .where('id', '=', id)
        .execute();
    }
  });
}

const issuesOf = async (projectId: number) => {
  const rows = database.reader.selectFrom('issues').select(['id', 'author_id', 'user_notes_count']);
  return rows.where('project_id', '=', projectId).orderBy('id').execute();
};

test('many comments of a deleted user are deleted in batches, and counters stay correct', async () => {
  const { id, at, owner } = await newProject({ visibility: 'public' });
  const milestone = (await owner.post(`${at}/milestones`, { title: 'large' })).body;
  const label = (await owner.post(`${at}/labels`, { name: 'common', color: 'red' })).body;
  await newIssues(id, milestone.id, label.id, 3);
  const ids = (await issuesOf(id)).map((issue) => issue.id);
  const [gone, ghosted] = [await user(), await user()];
  await newNotes(ids, gone.id, 2 * BATCH_SIZE + 2);
  await newNotes(ids, ghosted.id, BATCH_SIZE + 1);
  const acts = await actsOf(async () => {
    await root.delete(`/users/${gone.id}`, { hard_delete: true });
    await root.delete(`/users/${ghosted.id}`);
    await runJobs();
  });
  assert.ok(acts >= 3 + 2, `${acts} acts`);
  const counts = (await issuesOf(id)).map((issue) => issue.user_notes_count);
  assert.deepEqual([counts, counts.reduce((sum, count) => sum + count)], [[167, 167, 167], BATCH_SIZE + 1]);
});

test('many issues of a deleted user are reassigned to the ghost user or deleted, in batches', async () => {
  for (const hard_delete of [false, true]) {
    const author = await user();
    const { id, at, owner } = await newProject({ visibility: 'public' });
    const milestone = (await owner.post(`${at}/milestones`, { title: 'large' })).body;
    const label = (await owner.post(`${at}/labels`, { name: 'common', color: 'red' })).body;
    await newIssues(id, milestone.id, label.id, 2 * BATCH_SIZE + 1);
    await database.transaction((tx) =>
      tx.updateTable('issues').set({ author_id: author.id }).where('project_id', '=', id).execute(),
    );
    const acts = await actsOf(async () => {
      await root.delete(`/users/${author.id}`, { hard_delete });
      await runJobs();
    });
    assert.ok(acts >= 3, `${acts} acts`);
    const authors = new Set((await issuesOf(id)).map(({ author_id }) => author_id));
    assert.deepEqual([authors.has(author.id), authors.size], [false, hard_delete ? 0 : 1]);
  }
});

test('a partly deleted project cannot be restored, and its deletion is completed', async () => {
  const { id, at, owner } = await newProject();
  await newNotes([(await owner.post(`${at}/issues`, { title: 'Long' })).body.id], owner.id, BATCH_SIZE + 1);
  await owner.delete(at);
  await server.services.runUnitOfWork(ANONYMOUS, (uow) => destroyProjectBatch(uow, id));
  assert.equal((await issuesOf(id)).length, 1);
  const { status, body } = await owner.post(`${at}/restore`);
  assert.deepEqual([status, body], [404, { message: '404 Project Not Found' }]);
  await destroyMarkedProjects.handle(server.services, {} as never, {} as never);
  assert.equal((await root.get(`/projects/${id}`)).status, 404);
  await runJobs();
});

test('a group cannot be restored once its deletion has begun', async () => {
  const group = await newGroup({ owner: await user() });
  const project = await newProject({ in: group });
  await group.owner.delete(group.at);
  await database.transaction((tx) =>
    tx.updateTable('namespaces').set({ marked_for_deletion_on: '2001-01-01' }).where('id', '=', group.id).execute(),
  );
  const { runUnitOfWork } = server.services;
  let acts = 0;
  const cut: typeof runUnitOfWork = (...given) =>
    ++acts > 2 ? assert.fail('the server dies') : runUnitOfWork(...given);
  const services = { ...server.services, runUnitOfWork: cut };
  await assert.rejects(async () => destroyMarkedGroups.handle(services, {} as never, {} as never), /dies/);
  assert.equal((await root.get(`/projects/${project.id}`)).status, 404);
  assert.equal((await group.owner.post(`/groups/${group.id}/restore`)).status, 400);
  await destroyMarkedGroups.handle(server.services, {} as never, {} as never);
  assert.equal((await root.get(`/groups/${group.id}`)).status, 404);
  await runJobs();
});

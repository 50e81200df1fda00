import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import type { EventName, EventPayloads } from '#events/domain-events.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { jobRun } from '#test/support/job-run.ts';
import { type Caller, world } from '#test/support/world.ts';
import { destroyUser } from './destroy.ts';
import { createResource, deleteUser } from './fixtures.testing.ts';

// The deletion job when it fails, runs twice, or runs concurrently with other changes.

const { root, user, runJobs, clock, server, newProject, newGroup } = await world();
const { services } = server;
const { database } = services;

const run = jobRun();
const destroy = ({ id }: Caller, hard = false, withServices = services) =>
  destroyUser.handle(withServices, { userId: id, hard, actorId: 1, actorAddress: null }, run);

/** Counts the rows of each table, to show that a run changes nothing. */
async function countRows() {
  const tables = [
    'users',
    'projects',
    'namespaces',
    'memberships',
    'activity_events',
    'audit_events',
    'background_jobs',
  ] as const;
  const count = (table: (typeof tables)[number]) =>
    database.reader
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, (await count(table)).count])));
}

/** Services whose units of work call a listener before each event. */
function withEventListener(
  listen: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) => void,
): typeof services {
  const runUnitOfWork: RunUnitOfWork = (by, doing) =>
    services.runUnitOfWork(by, (uow) => {
      const { publish } = uow;
      const publishAndListen: typeof publish = async (fact, payload) => {
        listen(fact, payload);
        await publish(fact, payload);
      };
      return doing(Object.assign(uow, { publish: publishAndListen }));
    });
  return { ...services, runUnitOfWork };
}

test('does nothing when the job runs again', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await newGroup({ owner: mira });
  await deleteUser(mira, { hard_delete: true });
  await destroy(mira, true);
  const before = await countRows();
  await destroy(mira, true);
  assert.deepEqual(await countRows(), before);
  await runJobs();
  assert.equal((await root.get(`/users/${mira.id}`)).status, 404);
});

test('does nothing for a user who was not deleted', async () => {
  const mira = await user();
  const project = await newProject({ owner: mira });
  const before = await countRows();
  await destroy(mira, true);
  assert.deepEqual(await countRows(), before);
  assert.equal((await mira.get(project.at)).status, 200);
});

test('completes when the job runs twice concurrently', async () => {
  const mira = await user();
  for (let count = 0; count < 3; count++) await newProject({ owner: mira });
  await newGroup({ owner: mira });
  const mark = await markRecordedEvents(database.reader);
  await deleteUser(mira, { hard_delete: true });
  // One run may find rows that the other one is deleting; the queue would retry it.
  const ends = await Promise.allSettled([destroy(mira, true), destroy(mira, true)]);
  assert.ok(ends.some(({ status }) => status === 'fulfilled'));
  await runJobs();
  const destroyed = ['project_destroyed', 'project_destroyed', 'project_destroyed', 'group_destroyed'];
  assert.deepEqual(await listRecordedSince(database.reader, mark), ['user_destroyed', ...destroyed]);
});

for (const broken of ['project-destroyed', 'group-destroyed', 'user-deleted', 'membership-ended'] as const) {
  test(`completes a job that failed when ${broken} was published`, async () => {
    const [mira, otto] = [await user(), await user()];
    await newProject({ owner: mira });
    const second = await newProject({ owner: mira });
    const group = await newGroup({ owner: mira });
    const shared = await newGroup({ owner: otto });
    await createResource(otto, `${shared.at}/members`, { user_id: mira.id, access_level: 30 });
    const mark = await markRecordedEvents(database.reader);
    await deleteUser(mira, { hard_delete: true });
    let count = 0;
    const failing = withEventListener((fact) => {
      // The first of the projects is destroyed.
      if (fact === broken && ++count === (fact === 'project-destroyed' ? 2 : 1)) throw new Error('broken off');
    });
    await assert.rejects(destroy(mira, true, failing), /broken off/);
    const seen = async () => (await root.get(`/users/${mira.id}`)).status;
    assert.equal(await seen(), 200, 'the user is not deleted yet');
    await runJobs();
    assert.equal(await seen(), 404);
    assert.equal((await root.get(second.at)).status, 404);
    assert.equal((await root.get(group.at)).status, 404);
    const recorded = await listRecordedSince(database.reader, mark);
    assert.deepEqual(
      recorded,
      ['user_destroyed', 'project_destroyed', 'project_destroyed', 'group_destroyed'],
      'no event is published twice',
    );
  });
}

test('deletes all activity before the last transaction', async () => {
  const mira = await user();
  const { id: project_id } = await newProject();
  const event = { project_id, author_id: mira.id, action: 'joined', action_name: 'joined' } as const;
  await database.transaction(async (tx) => {
    const events = Array.from({ length: 701 }, () => ({ ...event, created_at: tx.now }));
    for (let times = 0; times < 3; times++) await tx.insertInto('activity_events').values(events).execute();
  });
  await deleteUser(mira);
  const failing = withEventListener((fact) => assert.notEqual(fact, 'user-deleted', 'broken off'));
  await assert.rejects(destroy(mira, false, failing), /broken off/);
  const remaining = database.reader.selectFrom('activity_events').select('id').where('author_id', '=', mira.id);
  assert.deepEqual(await remaining.execute(), []);
  await runJobs();
});

test('retries a failed job', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await deleteUser(mira);
  const { runUnitOfWork } = services;
  const failing: RunUnitOfWork = async () => {
    throw new Error('not now');
  };
  Object.assign(services, { runUnitOfWork: failing });
  await runJobs();
  Object.assign(services, { runUnitOfWork });
  const row = database.reader.selectFrom('users').select('id').where('id', '=', mira.id);
  assert.deepEqual(await row.execute(), [{ id: mira.id }]);
  clock.advance(10);
  await runJobs();
  assert.deepEqual(await row.execute(), []);
});

test('publishes the deletion while the user exists, with the ghost user and the mode', async () => {
  const [{ id: ghost }] = (await root.get('/users', { username: 'ghost' })).body;
  for (const hard of [false, true]) {
    const [mira, otto] = [await user(), await user()];
    const group = await newGroup({ owner: otto });
    await createResource(otto, `${group.at}/members`, { user_id: mira.id, access_level: 30 });
    await deleteUser(mira, { hard_delete: hard });
    const published: unknown[] = [];
    await destroy(
      mira,
      hard,
      withEventListener((fact, payload) => published.push([fact, payload])),
    );
    const ended = { userId: mira.id, sourceType: 'group', sourceId: group.id, unassign: false };
    assert.deepEqual(published, [
      ['user-deleted', { userId: mira.id, ghostUserId: ghost, hard }],
      ['membership-ended', ended],
    ]);
  }
});

test('rejects new content in the namespace of a user who is being deleted', async () => {
  const mira = await user();
  const [{ id: namespace_id }] = (await root.get('/namespaces', { search: mira.username })).body;
  const project = await newProject({ owner: root });
  await deleteUser(mira);
  const created = await root.post('/projects', { name: 'Late', namespace_id });
  assert.deepEqual([created.status, created.body], [400, { message: { namespace: ['is not valid'] } }]);
  assert.equal((await root.post(`/projects/user/${mira.id}`, { name: 'Late' })).status, 404);
  const moved = await root.put(`${project.at}/transfer`, { namespace: namespace_id });
  assert.ok(moved.status >= 400, moved.text);
  await runJobs();
  assert.equal((await root.get(project.at)).status, 200);
});

test('deletes a project that was being created during the deactivation', async () => {
  for (let round = 0; round < 3; round++) {
    const mira = await user();
    const [{ id: namespace_id }] = (await root.get('/namespaces', { search: mira.username })).body;
    const [created] = await Promise.all([root.post('/projects', { name: 'Late', namespace_id }), deleteUser(mira)]);
    await runJobs();
    const response = await root.get(`/namespaces/${namespace_id}`);
    assert.equal(response.status, 404);
    if (created.status === 201) assert.equal((await root.get(`/projects/${created.body.id}`)).status, 404);
  }
});

/** Services of a run in which something else happens after its first unit of work. */
function withInterruption(meanwhile: () => Promise<void>, through = services): typeof services {
  let first = true;
  const runUnitOfWork: RunUnitOfWork = async (by, doing) => {
    const result = await through.runUnitOfWork(by, doing);
    if (first) {
      first = false;
      await meanwhile();
    }
    return result;
  };
  return { ...services, runUnitOfWork };
}

test('deletes a project that appears between the batches and the last step', async () => {
  const mira = await user();
  const first = await newProject({ owner: mira });
  const late = await newProject({ owner: root });
  const namespace = database.reader.selectFrom('namespaces').select('id').where('owner_id', '=', mira.id);
  const { id: namespace_id } = await namespace.executeTakeFirstOrThrow();
  await deleteUser(mira);
  const arrive = withInterruption(() =>
    database.transaction(async (tx) => {
      await tx.updateTable('projects').set({ namespace_id }).where('id', '=', late.id).execute();
    }),
  );
  await destroy(mira, false, arrive);
  for (const { id } of [first, late]) assert.equal((await root.get(`/projects/${id}`)).status, 404);
  await runJobs();
});

test('publishes nothing when another run has finished first', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await deleteUser(mira);
  const published: EventName[] = [];
  const listening = withEventListener((fact) => published.push(fact));
  await destroy(
    mira,
    false,
    withInterruption(() => destroy(mira), listening),
  );
  assert.deepEqual(published, ['project-destroyed']);
  await runJobs();
});

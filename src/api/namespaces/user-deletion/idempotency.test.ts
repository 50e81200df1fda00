import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import type { EventName, EventPayloads } from '#events/domain-events.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { jobRun } from '#test/support/job-run.ts';
import { type Caller, world } from '#test/support/world.ts';
import { destroyUser } from './destroy.ts';
import { made, remove } from './fixtures.testing.ts';

// The work after the deletion when it is broken off, done twice, or meets others.

const { root, user, work, clock, server, newProject, newGroup } = await world();
const { services } = server;
const { database } = services;

const run = jobRun();
const destroy = ({ id }: Caller, hard = false, withServices = services) =>
  destroyUser.handle(withServices, { userId: id, hard, by: 1, address: null }, run);

/** How many rows each of these tables has, so that a run that should do nothing can be seen to do nothing. */
async function counts() {
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

/** The rooms with acts that hear everything first. */
function hearing(listen: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) => void): typeof services {
  const runUnitOfWork: RunUnitOfWork = (by, doing) =>
    services.runUnitOfWork(by, (uow) => {
      const { publish } = uow;
      const heard: typeof publish = async (fact, payload) => {
        listen(fact, payload);
        await publish(fact, payload);
      };
      return doing(Object.assign(uow, { publish: heard }));
    });
  return { ...services, runUnitOfWork };
}

test('work that is done twice does nothing the second time', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await newGroup({ owner: mira });
  await remove(mira, { hard_delete: true });
  await destroy(mira, true);
  const before = await counts();
  await destroy(mira, true);
  assert.deepEqual(await counts(), before);
  await work();
  assert.equal((await root.get(`/users/${mira.id}`)).status, 404);
});

test('work for a user who has not been deleted does nothing', async () => {
  const mira = await user();
  const project = await newProject({ owner: mira });
  const before = await counts();
  await destroy(mira, true);
  assert.deepEqual(await counts(), before);
  assert.equal((await mira.get(project.at)).status, 200);
});

test('two that do it at once come to one end', async () => {
  const mira = await user();
  for (let count = 0; count < 3; count++) await newProject({ owner: mira });
  await newGroup({ owner: mira });
  const mark = await markHistory(database.reader);
  await remove(mira, { hard_delete: true });
  // One of them may meet what the other is just removing; the queue would try it again.
  const ends = await Promise.allSettled([destroy(mira, true), destroy(mira, true)]);
  assert.ok(ends.some(({ status }) => status === 'fulfilled'));
  await work();
  const destroyed = ['project_destroyed', 'project_destroyed', 'project_destroyed', 'group_destroyed'];
  assert.deepEqual(await recordedSince(database.reader, mark), ['user_destroyed', ...destroyed]);
});

for (const broken of ['project-destroyed', 'group-destroyed', 'user-deleted', 'membership-ended'] as const) {
  test(`work that breaks off as ${broken} is told is finished by the next run`, async () => {
    const [mira, otto] = [await user(), await user()];
    await newProject({ owner: mira });
    const second = await newProject({ owner: mira });
    const group = await newGroup({ owner: mira });
    const shared = await newGroup({ owner: otto });
    await made(otto, `${shared.at}/members`, { user_id: mira.id, access_level: 30 });
    const mark = await markHistory(database.reader);
    await remove(mira, { hard_delete: true });
    let heard = 0;
    const failing = hearing((fact) => {
      // Of the projects the first one goes.
      if (fact === broken && ++heard === (fact === 'project-destroyed' ? 2 : 1)) throw new Error('broken off');
    });
    await assert.rejects(destroy(mira, true, failing), /broken off/);
    const seen = async () => (await root.get(`/users/${mira.id}`)).status;
    assert.equal(await seen(), 200, 'the user is still to be removed');
    await work();
    assert.equal(await seen(), 404);
    assert.equal((await root.get(second.at)).status, 404);
    assert.equal((await root.get(group.at)).status, 404);
    const recorded = await recordedSince(database.reader, mark);
    assert.deepEqual(
      recorded,
      ['user_destroyed', 'project_destroyed', 'project_destroyed', 'group_destroyed'],
      'nothing is told twice',
    );
  });
}

test('the activity of the user, however much, is gone before the last transaction', async () => {
  const mira = await user();
  const { id: project_id } = await newProject();
  const event = { project_id, author_id: mira.id, action: 'joined', action_name: 'joined' } as const;
  await database.transaction(async (tx) => {
    const events = Array.from({ length: 701 }, () => ({ ...event, created_at: tx.now }));
    for (let times = 0; times < 3; times++) await tx.insertInto('activity_events').values(events).execute();
  });
  await remove(mira);
  const failing = hearing((fact) => assert.notEqual(fact, 'user-deleted', 'broken off'));
  await assert.rejects(destroy(mira, false, failing), /broken off/);
  const left = database.reader.selectFrom('activity_events').select('id').where('author_id', '=', mira.id);
  assert.deepEqual(await left.execute(), []);
  await work();
});

test('the queue tries again what has failed', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await remove(mira);
  const { runUnitOfWork } = services;
  const failing: RunUnitOfWork = async () => {
    throw new Error('not now');
  };
  Object.assign(services, { runUnitOfWork: failing });
  await work();
  Object.assign(services, { runUnitOfWork });
  const row = database.reader.selectFrom('users').select('id').where('id', '=', mira.id);
  assert.deepEqual(await row.execute(), [{ id: mira.id }]);
  clock.advance(10);
  await work();
  assert.deepEqual(await row.execute(), []);
});

test('families hear of the deletion while the user is still there, with the ghost and how it is meant', async () => {
  const [{ id: ghost }] = (await root.get('/users', { username: 'ghost' })).body;
  for (const hard of [false, true]) {
    const [mira, otto] = [await user(), await user()];
    const group = await newGroup({ owner: otto });
    await made(otto, `${group.at}/members`, { user_id: mira.id, access_level: 30 });
    await remove(mira, { hard_delete: hard });
    const heard: unknown[] = [];
    await destroy(
      mira,
      hard,
      hearing((fact, payload) => heard.push([fact, payload])),
    );
    const ended = { userId: mira.id, sourceType: 'group', sourceId: group.id, unassign: false };
    assert.deepEqual(heard, [
      ['user-deleted', { userId: mira.id, ghostUserId: ghost, hard }],
      ['membership-ended', ended],
    ]);
  }
});

test('nothing comes into the namespace of a user who is being removed', async () => {
  const mira = await user();
  const [{ id: namespace_id }] = (await root.get('/namespaces', { search: mira.username })).body;
  const project = await newProject({ owner: root });
  await remove(mira);
  const created = await root.post('/projects', { name: 'Late', namespace_id });
  assert.deepEqual([created.status, created.body], [400, { message: { namespace: ['is not valid'] } }]);
  assert.equal((await root.post(`/projects/user/${mira.id}`, { name: 'Late' })).status, 404);
  const moved = await root.put(`${project.at}/transfer`, { namespace: namespace_id });
  assert.ok(moved.status >= 400, moved.text);
  await work();
  assert.equal((await root.get(project.at)).status, 200);
});

test('a project that was on its way when the account ended goes with the others', async () => {
  for (let round = 0; round < 3; round++) {
    const mira = await user();
    const [{ id: namespace_id }] = (await root.get('/namespaces', { search: mira.username })).body;
    const [created] = await Promise.all([root.post('/projects', { name: 'Late', namespace_id }), remove(mira)]);
    await work();
    const gone = await root.get(`/namespaces/${namespace_id}`);
    assert.equal(gone.status, 404);
    if (created.status === 201) assert.equal((await root.get(`/projects/${created.body.id}`)).status, 404);
  }
});

/** The rooms of a run during which, when its first act is over, something else happens. */
function interrupted(meanwhile: () => Promise<void>, through = services): typeof services {
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

test('a project that comes between the steps and the last one goes with the others', async () => {
  const mira = await user();
  const first = await newProject({ owner: mira });
  const late = await newProject({ owner: root });
  const namespace = database.reader.selectFrom('namespaces').select('id').where('owner_id', '=', mira.id);
  const { id: namespace_id } = await namespace.executeTakeFirstOrThrow();
  await remove(mira);
  const arrive = interrupted(() =>
    database.transaction(async (tx) => {
      await tx.updateTable('projects').set({ namespace_id }).where('id', '=', late.id).execute();
    }),
  );
  await destroy(mira, false, arrive);
  for (const { id } of [first, late]) assert.equal((await root.get(`/projects/${id}`)).status, 404);
  await work();
});

test('a run that another one overtakes tells nobody anything', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  await remove(mira);
  const heard: EventName[] = [];
  const listening = hearing((fact) => heard.push(fact));
  await destroy(
    mira,
    false,
    interrupted(() => destroy(mira), listening),
  );
  assert.deepEqual(heard, ['project-destroyed']);
  await work();
});

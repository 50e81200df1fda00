import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, owner, guest, root, servers } = await world({ project: { with: ['guest'] } });
const issues = `${project.at}/issues`;

test('returns the created issue as everybody sees it', async () => {
  const { status, body } = await guest.post(issues, { title: 'Broken', description: '- [x] one\n- [ ] two' });
  assert.equal(status, 201);
  assert.deepEqual((await guest.get(`${issues}/${body.iid}`)).body, body);
  assert.equal(body.author.username, guest.username);
  assert.deepEqual(body.references, {
    short: `#${body.iid}`,
    relative: `#${body.iid}`,
    full: `${project.path_with_namespace}#${body.iid}`,
  });
  assert.equal(body.web_url, `${project.web_url}/-/issues/${body.iid}`);
  assert.equal(body.subscribed, true);
  assert.equal((await root.get(`${issues}/${body.iid}`)).body.subscribed, false);
});

test('adds and removes labels as in an update', async () => {
  const create = async (params: object) => (await owner.post(issues, { title: 'Labels', ...params })).body.labels;
  assert.deepEqual(await create({ add_labels: 'one,two' }), ['one', 'two']);
  assert.deepEqual(await create({ labels: 'one,two', add_labels: ['three'], remove_labels: 'one' }), ['three', 'two']);
});

test('a title is not blank and has at most 255 characters', async () => {
  for (const [params, body] of [
    [{}, { error: 'title is missing' }],
    [{ title: ' ' }, { message: { title: ["can't be blank"] } }],
    [{ title: 'x'.repeat(256) }, { message: { title: ['is too long (maximum is 255 characters)'] } }],
  ] as const) {
    const refused = await owner.post(issues, params);
    assert.deepEqual([refused.status, refused.body], [400, body]);
  }
});

test('assigns a Guest of the project to a confidential issue', async () => {
  const { status, body } = await owner.post(issues, { title: 'Secret', confidential: true, assignee_ids: [guest.id] });
  assert.equal(status, 201);
  assert.deepEqual(
    body.assignees.map(({ id }: { id: number }) => id),
    [guest.id],
  );
  assert.equal((await guest.get(`${issues}/${body.iid}`)).status, 200);
});

test('stops waiting for the lock of the project when the client disconnects', async (t) => {
  const waiters: unknown[] = [];
  for (const { services } of servers) {
    const { transaction } = services.database;
    t.mock.method(services.database, 'transaction', (...args: Parameters<typeof transaction>) => {
      waiters.push(args[1]?.client);
      return transaction(...args);
    });
  }
  const { status } = await owner.post(issues, { title: 'Impatient' });
  assert.deepEqual([status, waiters.some((client) => client !== undefined)], [201, true]);
});

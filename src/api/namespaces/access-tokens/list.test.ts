import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createParentToken, createTokenParent, PARENT_TYPES } from './fixtures.testing.ts';

const { newProject, newGroup } = await world();

// The test clock is at 2026-01-02. Each test runs for a project and for a group.

for (const kind of PARENT_TYPES) {
  test(`${kind}: filters, orders and paginates tokens like personal tokens`, async () => {
    const parent = await createTokenParent(kind);
    const path = `${parent.at}/access_tokens`;
    const one = await createParentToken(parent, { name: 'Alpha', expires_at: '2026-02-01' });
    const two = await createParentToken(parent, { name: 'beta', expires_at: '2026-03-01' });
    const three = await createParentToken(parent, { name: 'Gamma', expires_at: '2026-01-01', access_level: 10 });
    await parent.owner.delete(`${path}/${two.id}`);
    const ids = async (params: object) => {
      const { body } = await parent.owner.get(path, { ...params });
      return body.map(({ id }: { id: number }) => id);
    };
    assert.deepEqual(await ids({}), [one.id, two.id, three.id]);
    assert.deepEqual(await ids({ revoked: true }), [two.id]);
    assert.deepEqual(await ids({ state: 'active' }), [one.id]);
    assert.deepEqual(await ids({ state: 'inactive' }), [two.id, three.id]);
    assert.deepEqual(await ids({ search: 'ALPH' }), [one.id]);
    assert.deepEqual(await ids({ expires_before: '2026-02-01' }), [three.id]);
    assert.deepEqual(await ids({ expires_after: '2026-02-01' }), [one.id, two.id]);
    assert.deepEqual(await ids({ created_after: '2026-01-03' }), []);
    assert.deepEqual(await ids({ sort: 'name_desc' }), [three.id, two.id, one.id]);
    assert.deepEqual(await ids({ sort: 'expires_asc' }), [three.id, one.id, two.id]);
    const second = await parent.owner.get(path, { per_page: 2, page: 2 });
    assert.deepEqual([second.headers['x-total'], second.body[0].access_level], ['3', 10]);
    assert.equal((await parent.owner.get(path, { state: 'x' })).status, 400);
  });
}

test('lists tokens of the group, not of its projects or parents', async () => {
  const parent = await createTokenParent('group');
  const { owner, id } = parent;
  const project = await newProject({ owner, name: 'inside', in: { id } });
  const below = await newGroup({ owner, name: 'below', path: 'below', in: { id } });
  const token = await createParentToken(parent);
  assert.equal((await token.bot.get(project.at)).status, 200, 'although the bot has access to them');
  for (const path of [project.at, below.at]) {
    assert.deepEqual((await owner.get(`${path}/access_tokens`)).body, []);
    assert.equal((await owner.get(`${path}/access_tokens/${token.id}`)).status, 404);
    assert.equal((await token.bot.post(`${path}/access_tokens/self/rotate`)).status, 401);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { givenPlace, givenToken, KINDS } from './fixtures.testing.ts';

const { newProject, newGroup } = await world();

// The world's clock stands at 2026-01-02. Each test is run with a project's tokens and with a group's.

for (const kind of KINDS) {
  test(`${kind}: the list is filtered, ordered and paged as that of personal tokens`, async () => {
    const place = await givenPlace(kind);
    const path = `${place.at}/access_tokens`;
    const one = await givenToken(place, { name: 'Alpha', expires_at: '2026-02-01' });
    const two = await givenToken(place, { name: 'beta', expires_at: '2026-03-01' });
    const three = await givenToken(place, { name: 'Gamma', expires_at: '2026-01-01', access_level: 10 });
    await place.owner.delete(`${path}/${two.id}`);
    const ids = async (params: object) => {
      const { body } = await place.owner.get(path, { ...params });
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
    const second = await place.owner.get(path, { per_page: 2, page: 2 });
    assert.deepEqual([second.headers['x-total'], second.body[0].access_level], ['3', 10]);
    assert.equal((await place.owner.get(path, { state: 'x' })).status, 400);
  });
}

test("a group's tokens are not those of its projects, nor of the groups above", async () => {
  const place = await givenPlace('group');
  const { owner, id } = place;
  const project = await newProject({ owner, name: 'inside', in: { id } });
  const below = await newGroup({ owner, name: 'below', path: 'below', in: { id } });
  const token = await givenToken(place);
  assert.equal((await token.bot.get(project.at)).status, 200, 'though its bot reaches them');
  for (const path of [project.at, below.at]) {
    assert.deepEqual((await owner.get(`${path}/access_tokens`)).body, []);
    assert.equal((await owner.get(`${path}/access_tokens/${token.id}`)).status, 404);
    assert.equal((await token.bot.post(`${path}/access_tokens/self/rotate`)).status, 401);
  }
});

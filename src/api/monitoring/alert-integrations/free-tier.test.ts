import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { project, owner, server } = await world({ env: { HEARTH_TIER: 'free' }, project: {} });

const at = `${project.at}/alert_integrations`;

test('limits tier free to one integration of each type, without example and mapping', async () => {
  const payload_attribute_mapping = { title: { path: ['name'], type: 'string' } };
  const { status, body: first } = await owner.post(at, {
    name: 'a',
    payload_example: 'no JSON',
    payload_attribute_mapping,
  });
  assert.equal(status, 201);
  assert.deepEqual([first.payload_example, first.payload_attribute_mapping], [{}, {}]);
  const second = await owner.post(at, { name: 'b' });
  assert.deepEqual(
    [second.status, second.body],
    [400, { message: 'Multiple integrations of a single type are not supported for this project' }],
  );
  const { status: other } = await owner.post(at, { name: 'b', type: 'prometheus' });
  assert.equal(other, 201);
  const ignored = await owner.put(`${at}/${first.id}`, { payload_attribute_mapping: { nothing: 1 } });
  assert.deepEqual([ignored.status, ignored.body.payload_attribute_mapping], [200, {}]);
  const fields = await owner.post(`${at}/payload_fields`, { payload: { a: 1 } });
  assert.deepEqual([fields.status, fields.body], [403, { message: '403 Forbidden' }]);
});

test('creates one integration for ten concurrent requests of a type on tier free', async () => {
  const type = 'prometheus';
  await Promise.all((await owner.get(at, { type })).body.map(({ id }: { id: number }) => owner.delete(`${at}/${id}`)));
  const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post(at, { name: 'a', type })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...new Array(9).fill(400)]);
});

test('lists only the oldest integration of each type on tier free', async () => {
  const [oldest] = (await owner.get(at, { type: 'http' })).body;
  const { database } = server.services;
  await database.transaction(async (tx) => {
    const { id: _id, ...row } = await tx
      .selectFrom('alert_integrations')
      .selectAll()
      .where('id', '=', oldest.id)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('alert_integrations')
      .values({ ...row, endpoint_identifier: 'left' })
      .execute();
  });
  assert.deepEqual((await owner.get(at, { type: 'http' })).body, [oldest]);
});

test('deletes an integration that is not listed on tier free by its id', async () => {
  const rows = server.services.database.reader.selectFrom('alert_integrations').select('id');
  const { id } = await rows.where('endpoint_identifier', '=', 'left').executeTakeFirstOrThrow();
  assert.equal((await owner.delete(`${at}/${id}`)).status, 204);
  assert.equal((await owner.get(`${at}/${id}`)).status, 404);
});

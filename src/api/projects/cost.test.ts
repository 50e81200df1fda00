import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../test/world.ts';
import { sessionOf } from '../../database/sessions.ts';
import { givenGroup, givenProject } from './given.testing.ts';

/** How many statements the server's reader runs meanwhile. */
async function statements(work: () => Promise<unknown>): Promise<number> {
  const { server } = await world();
  const { connection } = sessionOf(server.rooms.database.reader);
  const { execute } = connection;
  let count = 0;
  connection.execute = (query) => {
    count += 1;
    return execute.call(connection, query);
  };
  try {
    await work();
  } finally {
    connection.execute = execute;
  }
  return count;
}

test('a list costs as many queries for one project as for many, in many namespaces', async () => {
  const { user } = await world();
  const owner = await user();
  await givenProject(owner);
  await owner.get('/projects');
  const few = await statements(() => owner.get('/projects', { owned: true }));
  for (let i = 0; i < 6; i += 1) {
    const { id } = await givenGroup(owner);
    await givenProject(owner, { namespace_id: id });
  }
  let shown = 0;
  const many = await statements(async () => {
    shown = (await owner.get('/projects', { owned: true })).body.length;
  });
  assert.equal(shown, 7);
  assert.equal(many, few);
  assert.ok(many <= 5, `${many} queries`);
});

test('one project costs its caller, itself, its namespace and its owner', async () => {
  const { user } = await world();
  const owner = await user();
  const { id } = await givenProject(owner);
  await owner.get(`/projects/${id}`);
  assert.ok((await statements(() => owner.get(`/projects/${id}`))) <= 4);
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { root } = await world();

/** As long as a path may be, and such that it does not compress: what an index has to hold at worst. */
const segment = () => `g${randomBytes(127).toString('hex')}`;

async function newGroup(path: string, parent?: number): Promise<number> {
  const answer = await root.post('/groups', { name: 'deep', path, parent_id: parent });
  assert.equal(answer.status, 201);
  return answer.body.id;
}

/** Groups one in another, the outermost first. */
async function chain(length: number): Promise<number[]> {
  const ids: number[] = [];
  for (let depth = 0; depth < length; depth++) ids.push(await newGroup(segment(), ids.at(-1)));
  return ids;
}

test('a full path is limited, and what fits has room for projects that wait for their deletion', async () => {
  const deepest = (await chain(5)).at(-1);
  const refusal = await root.post('/groups', { name: 'deep', path: segment(), parent_id: deepest });
  assert.equal(refusal.status, 400);
  assert.match(refusal.body.message, /:path=>\["is too long \(maximum is 1500 characters\)"\]/);
  const group = await newGroup('g'.repeat(220), deepest);
  const project = await root.post('/projects', { name: 'deep', path: segment(), namespace_id: group });
  assert.equal(project.status, 201);
  assert.equal((await root.delete(`/projects/${project.body.id}`)).status, 202);
  assert.equal((await root.delete(`/groups/${group}`)).status, 202);
});

test('neither a rename nor a transfer pushes what is below beyond the limit', async () => {
  const [outer, ...inner] = await chain(5);
  const small = await newGroup('g'.repeat(200), inner.at(-1));
  const short = await newGroup('short');
  assert.equal((await root.post(`/groups/${outer}/transfer`, { group_id: short })).status, 201);
  const long = await newGroup(segment());
  const refusal = await root.post(`/groups/${outer}/transfer`, { group_id: long });
  assert.equal(refusal.status, 400);
  assert.equal(refusal.body.message, 'Transfer failed: The full path of a group is too long.');
  const renamed = await root.put(`/groups/${short}`, { path: segment() });
  assert.equal(renamed.status, 400);
  assert.deepEqual(renamed.body.message, { path: ['is too long (maximum is 1500 characters)'] });
  assert.match((await root.get(`/groups/${small}`)).body.full_path, /^short\//);
});

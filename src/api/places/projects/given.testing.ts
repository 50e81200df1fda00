import assert from 'node:assert/strict';
import { type Caller, world } from '../../../../test/world.ts';

/** What tests of projects begin with. */

type Params = Readonly<Record<string, unknown>>;

/** A project that the caller creates, with a path of its own; the answer's body. */
export async function givenProject(caller: Caller, params: Params = {}) {
  const { name } = await world();
  const answer = await caller.post('/projects', { name: name('project'), ...params });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A group of which the caller is the Owner. */
export async function givenGroup(caller: Caller, params: Params = {}) {
  const { name } = await world();
  const path = name('group');
  const answer = await caller.post('/groups', { name: path, path, ...params });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function givenMember(owner: Caller, source: string, member: Caller, access_level: number): Promise<void> {
  const answer = await owner.post(`${source}/members`, { user_id: member.id, access_level });
  assert.equal(answer.status, 201, answer.text);
}

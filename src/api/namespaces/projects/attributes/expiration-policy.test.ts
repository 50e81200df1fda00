import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// The expiration policy of container images (contract/planning.md §3.3).

const DEFAULTS = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
};

const inDays = (timestamp: string, days: number) => new Date(Date.parse(timestamp) + days * 86_400_000).toISOString();

test('a new project has the default policy, which runs a day after its creation', async () => {
  const { project, owner } = await world({ project: {} });
  const { created_at, container_expiration_policy } = (await owner.get(project.at)).body;
  assert.deepEqual(container_expiration_policy, { ...DEFAULTS, next_run_at: inDays(created_at, 1) });
  assert.equal('container_expiration_policy_attributes' in (await owner.get(project.at)).body, false);
});

test('stores the values that are sent, keeps the others and schedules the next run', async () => {
  const { project, owner, clock } = await world({ project: {} });
  const update = async (policy: object | null) => {
    const answer = await owner.put(project.at, { container_expiration_policy_attributes: policy });
    assert.equal(answer.status, 200, answer.text);
    const { updated_at, container_expiration_policy: stored } = (await owner.get(project.at)).body;
    return { updated_at, stored };
  };
  const enabled = { enabled: true, cadence: '1month', keep_n: 5, older_than: '14d', name_regex_keep: 'v.*' };
  const first = await update(enabled);
  const expected = { ...DEFAULTS, ...enabled };
  assert.deepEqual(first.stored, { ...expected, next_run_at: inDays(first.updated_at, 30) });
  clock.advance(1000);
  const second = await update({ keep_n: null, older_than: null, name_regex_delete: 'x+', name_regex: 'y' });
  const next = { ...expected, keep_n: null, older_than: null, name_regex: 'x+' };
  assert.deepEqual(second.stored, { ...next, next_run_at: inDays(second.updated_at, 30) });
  for (const nothing of [{}, null]) assert.deepEqual((await update(nothing)).stored, second.stored);
});

test('a project is created with a policy', async () => {
  const { owner, name } = await world({ project: {} });
  const policy = { cadence: '7d', enabled: 'true', keep_n: '25' };
  const { body } = await owner.post('/projects', { name: name('p'), container_expiration_policy_attributes: policy });
  const next_run_at = inDays(body.created_at, 7);
  const expected = { ...DEFAULTS, cadence: '7d', enabled: true, keep_n: 25, next_run_at };
  assert.deepEqual(body.container_expiration_policy, expected);
});

const NOT_INCLUDED = ['is not included in the list'];
const INVALID = [
  [{ cadence: '2d' }, { cadence: NOT_INCLUDED }],
  [{ cadence: '' }, { cadence: ["can't be blank", ...NOT_INCLUDED] }],
  [{ enabled: null }, { enabled: NOT_INCLUDED }],
  [{ keep_n: 7 }, { keep_n: NOT_INCLUDED }],
  [{ older_than: '1d' }, { older_than: NOT_INCLUDED }],
  [{ enabled: true, name_regex: '' }, { name_regex: ["can't be blank"] }],
  [{ enabled: true, name_regex_keep: '[' }, { name_regex_keep: ['not valid RE2 syntax: missing closing ]: ['] }],
] as const;

test('rejects invalid policies and saves nothing', async () => {
  const { project, owner } = await world({ project: {} });
  const before = (await owner.get(project.at)).body;
  for (const [policy, errors] of INVALID) {
    const params = { description: 'Not kept', container_expiration_policy_attributes: policy };
    const { status, body } = await owner.put(project.at, params);
    const message = Object.fromEntries(
      Object.entries(errors).map(([name, texts]) => [`container_expiration_policy.${name}`, texts]),
    );
    assert.deepEqual([status, body], [400, { message }]);
  }
  const wrong = { container_expiration_policy_attributes: { keep_n: 'x' } };
  const error = 'container_expiration_policy_attributes[keep_n] is invalid';
  assert.deepEqual((await owner.put(project.at, wrong)).body, { error });
  assert.deepEqual((await owner.get(project.at)).body, before);
});

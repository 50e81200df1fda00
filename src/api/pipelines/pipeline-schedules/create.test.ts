import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['developer', 'reporter'] } });
const { project, owner, developer, reporter, anonymous } = here;

const at = `${project.at}/pipeline_schedules`;
const INPUT = { description: 'nightly', ref: 'topic', cron: '0 1 * * 5' };
const create = (params: object = {}, caller = developer) => caller.post(at, { ...INPUT, ...params });

await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }));
await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'both', ref: 'main' }));
for (const tag_name of ['both', 'v1'])
  await expectSuccess(owner.post(`${project.repository}/tags`, { tag_name, ref: 'main' }));

/** Creates a schedule, deletes it and returns its attributes. */
async function createAndDelete(params: object = {}) {
  const { id, ...attributes } = (await expectSuccess(create(params))).body;
  await expectSuccess(owner.delete(`${at}/${id}`));
  return attributes;
}

test('returns the new schedule with all attributes and the full ref name', async () => {
  const { created_at, updated_at, owner: scheduleOwner, ...rest } = await createAndDelete();
  assert.equal(scheduleOwner.id, developer.id);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    description: 'nightly',
    ref: 'refs/heads/topic',
    cron: '0 1 * * 5',
    cron_timezone: 'UTC',
    next_run_at: '2026-01-09T01:00:00.000Z',
    active: true,
    last_pipeline: null,
    inputs: [],
    variables: [],
  });
});

test('computes the next run in the time zone, by IANA name or alias', async () => {
  for (const [cron_timezone, next] of [
    ['Berlin', '2026-01-09T00:00:00.000Z'],
    ['America/New_York', '2026-01-02T06:00:00.000Z'],
    ['Eastern Time (US & Canada)', '2026-01-02T06:00:00.000Z'],
  ] as const) {
    const { next_run_at, ...schedule } = await createAndDelete({ cron_timezone });
    assert.deepEqual([next_run_at, schedule.cron_timezone], [next, cron_timezone]);
  }
  assert.equal((await createAndDelete({ cron: '@daily', active: false })).active, false);
});

test('accepts short and full names of branches and tags', async () => {
  for (const [ref, fullName] of [
    ['refs/heads/topic', 'refs/heads/topic'],
    ['v1', 'refs/tags/v1'],
    ['refs/tags/both', 'refs/tags/both'],
  ] as const) {
    assert.equal((await createAndDelete({ ref })).ref, fullName);
  }
});

test('returns 400 with errors by field and creates nothing', async () => {
  const syntax = ['syntax is invalid'];
  for (const [params, message] of [
    [{ cron: 'often' }, { cron: syntax }],
    [{ cron: '0 0 30 2 *' }, { cron: syntax }],
    [{ cron: '*/30 2 * 3 SUN#L', cron_timezone: 'Berlin' }, { cron: syntax }],
    [
      { cron: '* * * * * *', cron_timezone: 'Nowhere' },
      { cron: syntax, cron_timezone: syntax },
    ],
    [{ cron_timezone: '+01:00' }, { cron_timezone: syntax }],
    [{ ref: 'nowhere' }, { ref: ['is ambiguous'] }],
    [{ ref: 'both' }, { ref: ['is ambiguous'] }],
    [{ ref: 'refs/merge-requests/1/head' }, { ref: ['is ambiguous'] }],
    [{ description: ' ' }, { description: ["can't be blank"] }],
    [{ ref: 'main' }, { base: ['The current user is not authorized to create the pipeline schedule'] }],
  ] as const) {
    const { status, body } = await create(params);
    assert.deepEqual([status, body], [400, { message }], JSON.stringify(params));
  }
  const missing = await developer.post(at, {});
  const error = 'description is missing, ref is missing, cron is missing';
  assert.deepEqual([missing.status, missing.body], [400, { error }]);
  assert.deepEqual((await owner.get(at)).body, []);
});

test('returns 403 to Reporters and 401 to anonymous callers', async () => {
  assert.equal((await create({}, reporter)).status, 403);
  assert.equal((await create({}, anonymous)).status, 401);
});

test('limits a project to ten schedules, for concurrent requests too', async () => {
  for (let count = 0; count < 9; count++) await expectSuccess(create());
  const concurrent = await Promise.all([create(), create()]);
  assert.deepEqual(concurrent.map(({ status }) => status).sort(), [201, 400]);
  const message = { base: ['Maximum number of ci pipeline schedules (10) exceeded'] };
  assert.deepEqual((await create()).body, { message });
});

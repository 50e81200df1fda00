import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// contract/runners.md §4.5, contract/activity.md Part 3: what becomes of variables, and what is told of it.

const here = await world({ project: {} });
const { project, root } = here;
const group = await here.newGroup();
const { owner } = project;

async function variable(params: Readonly<Record<string, unknown>>) {
  const key = here.name('key').replaceAll('-', '_');
  await expectSuccess(owner.post(`${project.at}/variables`, { key, value: 'long-enough', ...params }));
  const path = `${project.at}/variables/${key}`;
  return { key, path, put: (change: Readonly<Record<string, unknown>>) => owner.put(path, change) };
}

test('updates each attribute independently, but never the key', async () => {
  const { key, put, path } = await variable({ description: 'what for' });
  const before = (await owner.get(path)).body;
  for (const change of [
    { value: 'something-else' },
    { variable_type: 'file' },
    { protected: true },
    { masked: true },
    { raw: true },
    { environment_scope: 'production' },
    { description: null },
  ]) {
    const { status, body } = await put({ ...change, key: 'OTHER' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, Object.assign(before, change), JSON.stringify(change));
  }
  assert.equal(before.key, key);
  for (const nothing of [{}, { value: null, masked: null, environment_scope: null }]) {
    assert.deepEqual((await put(nothing)).body, before);
  }
});

test('validates the resulting variable as a whole', async () => {
  const { put, path } = await variable({ value: 'not maskable' });
  const before = (await owner.get(path)).body;
  await expectSuccess(
    owner.post(`${project.at}/variables`, { key: before.key, value: 'x', environment_scope: 'taken' }),
  );
  const filter = { environment_scope: '*' };
  const read = () => owner.get(path, { 'filter[environment_scope]': '*' });
  for (const [change, message] of [
    [{ masked: true }, { value: ['is invalid'] }],
    [{ masked: true, raw: true }, { value: ['is invalid'] }],
    [{ environment_scope: 'taken' }, { key: [`(${before.key}) has already been taken`] }],
    [{ environment_scope: ' ' }, { environment_scope: ["can't be blank"] }],
    [
      { value: 'x'.repeat(10_001) },
      { value: ['The value of the provided variable exceeds the 10000 character limit'] },
    ],
  ] as const) {
    const { status, body } = await put({ ...change, filter });
    assert.deepEqual([status, body], [400, { message }], JSON.stringify(change).slice(0, 50));
    assert.deepEqual((await read()).body, before);
  }
});

test('rejects unmasking a hidden variable and keeps its value hidden on update', async () => {
  const { put } = await variable({ masked_and_hidden: true });
  const message = { base: ['The visibility setting cannot be changed for masked and hidden variables.'] };
  const refused = await put({ masked: false });
  assert.deepEqual([refused.status, refused.body], [400, { message }]);
  const { status, body } = await put({ value: 'another-value', masked: true, masked_and_hidden: false });
  assert.deepEqual([status, body.value, body.masked, body.hidden], [200, null, true, true]);
});

test('keeps the changes of concurrent updates to different attributes', async () => {
  const { put, path } = await variable({});
  await Promise.all([put({ protected: true }), put({ masked: true }), put({ raw: true }), put({ description: 'd' })]);
  const { body } = await owner.get(path);
  assert.deepEqual([body.protected, body.masked, body.raw, body.description], [true, true, true, 'd']);
});

test('deletes a variable; for groups only if it is unchanged since If-Unmodified-Since', async () => {
  const { path } = await variable({});
  const old = { 'If-Unmodified-Since': '2000-01-01T00:00:00Z' };
  const own = `${group.at}/variables`;
  await expectSuccess(group.owner.post(own, { key: 'K', value: 'x' }));
  assert.equal((await group.owner.delete(`${own}/K`, {}, old)).status, 412);
  for (const [caller, at] of [
    [group.owner, `${own}/K`],
    [owner, path],
  ] as const) {
    const answers = await Promise.all([caller.delete(at), caller.delete(at)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 404]);
  }
  const { path: another } = await variable({});
  assert.equal((await owner.delete(another, {}, old)).status, 204);
});

test('deletes variables with their project or group', async () => {
  const below = await here.newProject({ in: group });
  for (const { at } of [below, group])
    await expectSuccess(group.owner.post(`${at}/variables`, { key: 'GOING', value: 'x' }));
  await expectSuccess(root.put('/application/settings', { deletion_adjourned_period: 1 }));
  await expectSuccess(group.owner.delete(group.at));
  await here.runJobs();
  here.clock.advance(25 * 60 * 60);
  await here.runJobs();
  const rows = here.server.services.database.reader.selectFrom('ci_variables').select('id').where('key', '=', 'GOING');
  assert.deepEqual(await rows.execute(), []);
});

test('records changes of variables in the audit log, without values', async () => {
  const other = await here.newGroup();
  for (const [at, entity, target, words, event] of [
    [(await here.newProject()).at, 'Project', 'Ci::Variable', 'ci variable', 'ci_variable'],
    [other.at, 'Group', 'Ci::GroupVariable', 'ci group variable', 'ci_group_variable'],
    [
      '/admin/ci',
      'Gitlab::Audit::InstanceScope',
      'Ci::InstanceVariable',
      'ci instance variable',
      'ci_instance_variable',
    ],
  ] as const) {
    const before = new Set((await root.get('/audit_events')).body.map(({ id }: { id: number }) => id));
    await expectSuccess(root.post(`${at}/variables`, { key: 'TOLD', value: 'sesame-open' }));
    const change = { value: 'open-sesame', masked: true, protected: true, description: 'x', raw: true };
    await expectSuccess(root.put(`${at}/variables/TOLD`, { ...change, environment_scope: 'production' }));
    await expectSuccess(root.get(`${at}/variables/TOLD`));
    await expectSuccess(root.delete(`${at}/variables/TOLD`));
    const { body, text } = await root.get('/audit_events');
    const events = body.filter(({ id }: { id: number }) => !before.has(id)).reverse();
    const isScoped = event !== 'ci_instance_variable';
    assert.deepEqual(
      events.map(({ details }: { details: Record<string, string> }) => [details.event_name, details.custom_message]),
      [
        [`${event}_created`, `Added ${words}`],
        [`${event}_updated`, 'Changed variable protection from false to true'],
        [`${event}_updated`, 'Changed variable masking from false to true'],
        ...(isScoped ? [[`${event}_updated`, 'Changed environment scope from * to production']] : []),
        [`${event}_updated`, 'Changed value(hidden)'],
        [`${event}_deleted`, `Removed ${words}`],
      ],
    );
    assert.deepEqual([events[0].details.add, events.at(-1).details.remove], [event, event]);
    for (const { entity_type, details } of events) {
      assert.deepEqual([entity_type, details.target_type, details.target_details], [entity, target, 'TOLD']);
    }
    assert.ok(!text.includes('sesame'));
  }
});

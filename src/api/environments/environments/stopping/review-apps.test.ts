import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// Old review environments that are to go (contract/environments.md "review_apps").

const DAY = 86_400;
const here = await world();
const { clock, newProject, server, runJobs } = here;

async function given() {
  const project = await newProject({});
  const [developer, reporter] = [await project.addMember('developer'), await project.addMember('reporter')];
  const at = `${project.at}/environments/review_apps`;
  const schedule = (params = {}, by = developer) => by.delete(at, params);
  const scheduled = async (params = {}) => names((await expectSuccess(schedule(params))).body.scheduled_entries);
  return { project, developer, reporter, schedule, scheduled };
}

const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);

async function make({ at, owner }: Project, name: string, stopped = true): Promise<string> {
  const { body } = await expectSuccess(owner.post(`${at}/environments`, { name }));
  if (stopped) await expectSuccess(owner.post(`${at}/environments/${body.id}/stop`));
  return `${at}/environments/${body.id}`;
}

const NONE =
  'No environments found for scheduled deletion. Either your query did not match any environments (default parameters match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.';

test('selects old stopped environments directly in the folder review', async () => {
  const { project, schedule } = await given();
  for (const name of ['review/fix-foo', 'Review/case', 'reviews/a', 'review', 'a/review/b']) await make(project, name);
  await make(project, 'review/runs', false);
  clock.advance(31 * DAY);
  await make(project, 'review/young');
  const { status, body } = await schedule();
  assert.equal(status, 200);
  const { id, created_at, updated_at, ...entry } = body.scheduled_entries[0];
  assert.deepEqual(entry, { name: 'review/fix-foo', slug: 'review-fix-foo-v25cyx', external_url: null });
  assert.deepEqual([body.scheduled_entries.length, body.unprocessable_entries], [1, []]);
});

test('changes nothing in a dry run and skips already scheduled ones', async () => {
  const { project, schedule, scheduled } = await given();
  await make(project, 'review/a');
  clock.advance(31 * DAY);
  assert.deepEqual(await scheduled(), ['review/a']);
  assert.deepEqual(await scheduled({ dry_run: true }), ['review/a']);
  assert.deepEqual(await scheduled({ dry_run: false }), ['review/a']);
  const { status, body } = await schedule({ dry_run: false });
  assert.equal(status, 400);
  assert.deepEqual(body, { message: { scheduled_entries: [], unprocessable_entries: [], message: NONE } });
});

test('selects the oldest up to the limit, with any before', async () => {
  const { project, schedule, scheduled } = await given();
  for (const name of ['review/a', 'review/b', 'review/c']) {
    await make(project, name);
    clock.advance(60);
  }
  const before = new Date(clock.now().getTime() + DAY * 1000).toISOString();
  assert.deepEqual(await scheduled({ before, limit: 2 }), ['review/a', 'review/b']);
  assert.deepEqual(await scheduled({ before, limit: 1000 }), ['review/a', 'review/b', 'review/c']);
  assert.equal((await schedule()).status, 400);
  for (const limit of [0, 1001, -1]) {
    assert.deepEqual((await schedule({ limit })).body, { error: 'limit does not have a valid value' });
  }
  assert.deepEqual((await schedule({ before: 'x' })).body, { error: 'before is invalid' });
});

test('returns 401 to readers below Developer', async () => {
  const { project, reporter, schedule } = await given();
  const { status, body } = await schedule({}, reporter);
  assert.equal(status, 401);
  const message = 'You do not have permission to destroy environments in this project';
  assert.deepEqual(body, { message: { scheduled_entries: [], unprocessable_entries: [], message } });
  assert.equal((await schedule({}, await project.addMember('guest'))).status, 403);
  assert.equal((await schedule({}, await here.user())).status, 404);
  assert.equal((await schedule({}, here.anonymous)).status, 401);
  await expectSuccess(project.owner.post(`${project.at}/archive`));
  assert.equal((await schedule({}, project.owner)).status, 403);
});

test('schedules none if the caller may not delete one, and names it', async () => {
  const { project, schedule, scheduled } = await given();
  for (const name of ['review/a', 'review/b']) await make(project, name);
  await server.services.database.transaction((tx) =>
    createProtection(tx, { project_id: project.id, group_id: null }, 'review/b', {}),
  );
  clock.advance(31 * DAY);
  const { status, body } = await schedule({ dry_run: false });
  assert.equal(status, 400);
  assert.deepEqual(names(body.message.unprocessable_entries), ['review/b']);
  assert.deepEqual([body.message.scheduled_entries, body.message.message], [[], NONE]);
  assert.deepEqual(await scheduled({ limit: 1 }), ['review/a']);
});

test('deletes scheduled environments after a week unless they are available again', async () => {
  const { project, developer, scheduled } = await given();
  const [gone, open] = [await make(project, 'review/gone'), await make(project, 'review/open')];
  clock.advance(31 * DAY);
  assert.equal((await scheduled({ dry_run: false })).length, 2);
  const id = Number(open.split('/').at(-1));
  const state = (value: 'available' | 'stopped') =>
    server.services.database.transaction((tx) =>
      tx.updateTable('environments').set({ state: value }).where('id', '=', id).execute(),
    );
  await state('available');
  clock.advance(7 * DAY - 60);
  await runJobs();
  assert.equal((await developer.get(gone)).status, 200);
  clock.advance(120);
  await runJobs();
  assert.deepEqual([(await developer.get(gone)).status, (await developer.get(open)).status], [404, 200]);
  await state('stopped');
  clock.advance(60);
  await runJobs();
  assert.equal((await developer.get(open)).status, 404);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '#database/database.ts';
import { errorRow } from '#test/support/error-rows.ts';
import { type Caller, expectSuccess, type Project, type World, world } from '#test/support/world.ts';

// Lists of errors and sessions (contract/monitoring.md §13).

const errorsPath = ({ at }: Project) => `${at}/error_tracking/errors`;

async function listIds(
  by: Caller,
  project: Project,
  params: Readonly<Record<string, unknown>> = {},
): Promise<number[]> {
  return (await expectSuccess(by.get(errorsPath(project), params))).body.map(({ id }: { readonly id: number }) => id);
}

test('lists an error with all its fields', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project, { event_count: 3, user_count: 1, fingerprint: 'f'.repeat(40) });
  const now = here.clock.now().toISOString();
  assert.deepEqual((await reporter.get(errorsPath(project))).body, [
    {
      id,
      fingerprint: 'f'.repeat(40),
      type: 'error',
      name: 'ZeroDivisionError',
      message: 'division by zero',
      title: 'ZeroDivisionError: division by zero',
      culprit: 'index(polls.views)',
      platform: 'python',
      level: 'error',
      status: 'unresolved',
      count: 3,
      user_count: 1,
      first_seen: now,
      last_seen: now,
      project_id: project.id,
      web_url: `${project.web_url}/-/error_tracking/${id}/details`,
    },
  ]);
});

test('uses only the name as title of an error without exception or message', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  await errorRow(here, project, { name: 'Silent', message: null, culprit: null });
  await errorRow(here, project, { type: 'default', name: 'First line', message: 'First line\nand more' });
  const titles = (await reporter.get(errorsPath(project))).body.map(({ title }: { readonly title: string }) => title);
  assert.deepEqual(titles, ['First line', 'Silent']);
});

test('lists unresolved errors by default, and filters by status', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const open = await errorRow(here, project);
  const resolved = await errorRow(here, project, { status: 'resolved' });
  const ignored = await errorRow(here, project, { status: 'ignored' });
  const lists = await Promise.all(
    [undefined, 'unresolved', 'resolved', 'ignored'].map((status) => listIds(reporter, project, { status })),
  );
  assert.deepEqual(lists, [[open], [open], [resolved], [ignored]]);
  for (const wrong of [{ status: 'open' }, { sort: 'count' }]) {
    const { status, body } = await reporter.get(errorsPath(project), wrong);
    const [name] = Object.keys(wrong);
    assert.deepEqual([status, body], [400, { error: `${name} does not have a valid value` }]);
  }
});

test('orders errors by last seen, first seen or frequency, then by id, descending', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const day = (number: number) => `2026-02-0${number}T10:00:00.000Z`;
  const row = (count: number, first: number, last: number) =>
    errorRow(here, project, { event_count: count, first_seen: day(first), last_seen: day(last) });
  const [a, b, c] = [await row(5, 1, 9), await row(7, 2, 8), await row(5, 3, 9)];
  assert.deepEqual(await listIds(reporter, project), [c, a, b]);
  assert.deepEqual(await listIds(reporter, project, { sort: 'last_seen' }), [c, a, b]);
  assert.deepEqual(await listIds(reporter, project, { sort: 'first_seen' }), [c, b, a]);
  assert.deepEqual(await listIds(reporter, project, { sort: 'frequency' }), [b, c, a]);
  const { body, headers } = await reporter.get(errorsPath(project), { sort: 'frequency', per_page: 2, page: 2 });
  assert.deepEqual([body.length, body[0].id, headers['x-total'], headers['x-total-pages']], [1, a, '3', '2']);
});

test('finds a substring of the name, message or culprit, ignoring case', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const zero = await errorRow(here, project);
  const key = await errorRow(here, project, { name: 'KeyError', message: 'ÄPFEL 100%', culprit: null });
  const silent = await errorRow(here, project, { name: 'Zoom', message: null, culprit: 'a_b(mod)' });
  const search = (text: string) => listIds(reporter, project, { search: text });
  assert.deepEqual(await search('ZERODIV'), [zero]);
  assert.deepEqual(await search('äpfel'), [key]);
  assert.deepEqual(await search('100%'), [key]);
  assert.deepEqual(await search('A_B'), [silent]);
  assert.deepEqual(await search('0%0'), []);
  assert.deepEqual(await search('error division'), []);
  assert.deepEqual(await search('KeyErrorÄPFEL'), []);
  assert.deepEqual(await search(''), [silent, key, zero]);
});

test('searches the current values of errors, and finds no deleted errors', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter, server } = here;
  const [changed, deleted] = [await errorRow(here, project), await errorRow(here, project)];
  const write = (work: (tx: Transaction) => Promise<unknown>) => server.services.database.transaction(work);
  await write((tx) => tx.updateTable('errors').set({ message_key: 'granite' }).where('id', '=', changed).execute());
  await write((tx) => tx.updateTable('errors').set({ event_count: 7 }).where('id', '=', changed).execute());
  await write((tx) => tx.deleteFrom('errors').where('id', '=', deleted).execute());
  assert.deepEqual(await listIds(reporter, project, { search: 'granite' }), [changed]);
  assert.deepEqual(await listIds(reporter, project, { search: 'by zero' }), []);
  assert.deepEqual(await listIds(reporter, project, { search: 'ZeroDivisionError' }), [changed]);
});

test('allows reporters to read errors and developers to update them', async () => {
  const here = await world({ project: { visibility: 'public', with: ['guest', 'reporter', 'developer'] } });
  const { project } = here;
  const id = await errorRow(here, project);
  const callers = [here.anonymous, await here.user(), here.guest, here.reporter, here.developer];
  const statuses = async (call: (by: Caller) => Promise<{ readonly status: number }>) =>
    (await Promise.all(callers.map(call))).map(({ status }) => status);
  const readStatuses = [401, 403, 403, 200, 200];
  for (const path of ['', `/${id}`, `/${id}/events`]) {
    assert.deepEqual(await statuses((by) => by.get(`${errorsPath(project)}${path}`)), readStatuses);
  }
  assert.deepEqual(await statuses((by) => by.get(`${project.at}/error_tracking/sessions`)), readStatuses);
  assert.deepEqual(
    await statuses((by) => by.put(`${errorsPath(project)}/${id}`, { status: 'ignored' })),
    [401, 403, 403, 403, 200],
  );
  assert.equal((await here.anonymous.get('/projects/999999999/error_tracking/errors')).status, 401);
});

test('lists sessions by release and environment, with null for no environment', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const counts = {
    total: 12,
    exited: 9,
    errored: 1,
    crashed: 2,
    abnormal: 0,
    last_seen: here.clock.now().toISOString(),
  };
  const bucket = (release: string, environment: string) => ({ release, environment, ...counts });
  await insertSessionCounts(here, project, [
    bucket('web@2', 'production'),
    bucket('web@1', 'staging'),
    bucket('web@1', ''),
  ]);
  const { body, headers } = await reporter.get(`${project.at}/error_tracking/sessions`);
  const expected = [
    { ...bucket('web@1', ''), environment: null },
    bucket('web@1', 'staging'),
    bucket('web@2', 'production'),
  ];
  assert.deepEqual([body, headers['x-total']], [expected, '3']);
});

function insertSessionCounts(
  { server }: World,
  { id }: Project,
  rows: readonly SessionBucketValues[],
): Promise<unknown> {
  const values = rows.map((row) => ({ project_id: id, ...row }));
  return server.services.database.transaction((tx) => tx.insertInto('session_buckets').values(values).execute());
}

interface SessionBucketValues {
  readonly release: string;
  readonly environment: string;
  readonly total: number;
  readonly exited: number;
  readonly errored: number;
  readonly crashed: number;
  readonly abnormal: number;
  readonly last_seen: string;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertJobRow } from '#test/support/pipeline-rows.ts';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { reportDeployment } from './fixtures.testing.ts';

const here = await world();
const { newProject, anonymous, user, root, clock, server } = here;
const { database } = server.services;

const iidsOf = async (caller: Caller, url: string): Promise<number[]> =>
  (await expectSuccess(caller.get(url))).body.map(({ iid }: { iid: number }) => iid);

/** A running, a successful, a failed and another successful one, a minute between each; the first ends last. */
async function four() {
  const project = await newProject({ readme: true, with: ['reporter'] });
  const moments: string[] = [];
  for (const [environment, status] of [
    ['production', 'running'],
    ['production', 'success'],
    ['staging', 'failed'],
    ['staging', 'success'],
  ]) {
    moments.push(clock.now().toISOString());
    await expectSuccess(reportDeployment(project, { environment, status }));
    clock.advance(60);
  }
  const list = (query: string) => iidsOf(project.reporter, `${project.at}/deployments${query}`);
  return { project, list, moments };
}

test('orders deployments by id, iid and times, ascending and descending', async () => {
  const { project, list } = await four();
  assert.deepEqual(await list(''), [1, 2, 3, 4]);
  for (const order of ['id', 'iid', 'created_at', 'updated_at'])
    assert.deepEqual(await list(`?order_by=${order}&sort=desc`), [4, 3, 2, 1]);
  const [{ id }] = (await project.owner.get(`${project.at}/deployments`)).body;
  await expectSuccess(project.owner.put(`${project.at}/deployments/${id}`, { status: 'success' }));
  assert.deepEqual(await list('?order_by=updated_at'), [2, 3, 4, 1]);
  assert.deepEqual(await list('?order_by=finished_at&status=success'), [2, 4, 1]);
  assert.deepEqual(await list('?order_by=finished_at&status=success&sort=desc'), [1, 4, 2]);
  assert.deepEqual(await list('?order_by=finished_at&status=failed'), [3]);
});

test('filters deployments by environment, status and period', async () => {
  const { list, moments } = await four();
  assert.deepEqual(await list('?environment=staging'), [3, 4]);
  assert.deepEqual(await list('?environment=Staging'), []);
  assert.deepEqual(await list('?environment=nowhere'), []);
  assert.deepEqual(await list('?status=success'), [2, 4]);
  assert.deepEqual(await list('?environment=production&status=success&order_by=iid&sort=desc'), [2]);
  const [, second, third, fourth] = moments;
  assert.deepEqual(await list(`?order_by=updated_at&updated_after=${second}&updated_before=${third}`), [2, 3]);
  const ended = '?order_by=finished_at&status=success';
  assert.deepEqual(await list(`${ended}&finished_after=${second}&finished_before=${fourth}`), [2]);
  assert.deepEqual(await list(`${ended}&finished_after=${third}`), [4]);
});

test('rejects unknown filter values', async () => {
  const project = await newProject();
  for (const [query, error] of [
    ['order_by=ref', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['status=manual', 'status does not have a valid value'],
    ['updated_after=soon', 'updated_after is invalid'],
  ])
    assert.deepEqual((await project.owner.get(`${project.at}/deployments?${query}`)).body, { error });
});

test('requires the matching order and status for time filters', async () => {
  const project = await newProject();
  const both = 'Both `updated_at` filter and `finished_at` filter can not be specified';
  const updated = '`updated_at` filter requires `updated_at` sort';
  const finished = '`finished_at` filter requires `finished_at` sort.';
  const sorted =
    '`finished_at` sort requires `finished_at` filter or a filter with at least one of the finished statuses.';
  const success = '`finished_at` filter must be combined with `success` status filter.';
  const at = '2026-01-01';
  for (const [query, text] of [
    [`updated_after=${at}&finished_before=${at}`, both],
    [`updated_before=${at}&finished_after=${at}&order_by=updated_at`, both],
    [`updated_after=${at}`, updated],
    [`updated_before=${at}&order_by=created_at`, updated],
    [`finished_after=${at}&status=success`, finished],
    ['order_by=finished_at', sorted],
    ['order_by=finished_at&status=running', sorted],
    [`order_by=finished_at&finished_after=${at}`, success],
    [`order_by=finished_at&finished_before=${at}&status=failed`, success],
  ]) {
    const { status, body } = await project.owner.get(`${project.at}/deployments?${query}`);
    assert.deepEqual([status, body], [400, { message: `400 Bad request - ${text}` }], query);
  }
});

test('paginates deployments', async () => {
  const { project } = await four();
  const { headers, body } = await project.reporter.get(`${project.at}/deployments?per_page=3&page=2`);
  assert.deepEqual([body.length, headers['x-total'], headers['x-total-pages']], [1, '4', '2']);
});

test('lists many deployments with a constant number of statements', async () => {
  const project = await newProject({ readme: true, with: ['reporter'] });
  const more = async () => {
    const { id } = (await reportDeployment(project, { environment: here.name('e') })).body;
    const job_id = await insertJobRow(here, project);
    await database.transaction((tx) => tx.updateTable('deployments').set({ job_id }).where('id', '=', id).execute());
  };
  await more();
  await more();
  const list = () => project.reporter.get(`${project.at}/deployments?per_page=100`);
  const few = await statements(here, list);
  for (let made = 0; made < 6; made += 1) await more();
  assert.equal(await statements(here, list), few);
  assert.equal((await list()).body.length, 8);
});

test('restricts deployments of public and private projects to their readers', async () => {
  const stranger = await user();
  const open = await newProject({ readme: true, visibility: 'public', with: ['guest'] });
  const shut = await newProject({ readme: true, with: ['guest', 'reporter'] });
  const { id } = (await reportDeployment(shut)).body;
  const statusOf = async (caller: Caller, at: string) => (await caller.get(`${at}/deployments`)).status;
  assert.deepEqual([await statusOf(anonymous, open.at), await statusOf(anonymous, '/projects/999999')], [401, 401]);
  assert.deepEqual([await statusOf(stranger, open.at), await statusOf(open.guest, open.at)], [200, 200]);
  for (const what of [shut.at, `${shut.at}/deployments/${id}`]) {
    const path = what === shut.at ? `${what}/deployments` : what;
    const asked = [stranger, shut.guest, shut.reporter].map(async (caller) => (await caller.get(path)).status);
    assert.deepEqual(await Promise.all(asked), [404, 403, 200]);
  }
});

test('forbids deployments to everybody if environments are disabled', async () => {
  const project = await newProject({ readme: true });
  await reportDeployment(project);
  for (const feature of ['environments', 'builds', 'repository']) {
    await expectSuccess(project.owner.put(project.at, { [`${feature}_access_level`]: 'disabled' }));
    for (const caller of [project.owner, root]) {
      const answers = [
        await caller.get(`${project.at}/deployments`),
        await caller.get(`${project.at}/deployments/999999`),
        await caller.put(`${project.at}/deployments/999999`, { status: 'failed' }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 403, 403],
        feature,
      );
    }
    await expectSuccess(project.owner.put(project.at, { [`${feature}_access_level`]: 'enabled' }));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';

const here = await world({ project: { readme: true, with: ['guest', 'reporter', 'developer', 'maintainer'] } });
const { project, guest, reporter, developer, maintainer, owner, newProject, anonymous } = here;
const at = `${project.at}/pipelines`;

test('retries the failed and canceled jobs of a pipeline, and resets skipped ones', async () => {
  const pipeline = await createPipelineFixture(here, project, { a: {}, b: {}, c: { stage: 1 } });
  await pipeline.runJob('a', 'success');
  await pipeline.runJob('b', 'failed');
  const { status, body } = await developer.post(`${at}/${pipeline.id}/retry`);
  assert.deepEqual([status, body.status, body.finished_at], [201, 'running', null]);
  assert.deepEqual(await pipeline.listStatuses(), { a: 'success', b: 'pending', c: 'created', pipeline: 'running' });
});

test('cancels a pipeline with its jobs, and keeps a finished one', async () => {
  const pipeline = await createPipelineFixture(here, project, { a: {}, manual: { stage: 1, when: 'manual' } });
  await pipeline.runJob('a');
  const { status, body } = await developer.post(`${at}/${pipeline.id}/cancel`);
  assert.deepEqual([status, body.status], [200, 'canceled']);
  assert.deepEqual(await pipeline.listStatuses(), { a: 'canceled', manual: 'canceled', pipeline: 'canceled' });
  assert.equal((await developer.post(`${at}/${pipeline.id}/cancel`)).status, 200);
  assert.equal((await reporter.post(`${at}/${pipeline.id}/cancel`)).status, 403);
});

test('Developers act on pipelines of a protected branch that they may merge into', async () => {
  await expectSuccess(
    owner.post(`${project.at}/protected_branches`, { name: 'open', push_access_level: 40, merge_access_level: 30 }),
  );
  await expectSuccess(
    owner.post(`${project.at}/protected_branches`, {
      name: 'restricted',
      push_access_level: 40,
      merge_access_level: 40,
    }),
  );
  const [open, restricted] = [
    await insertPipelineRow(here, project, { ref: 'open' }),
    await insertPipelineRow(here, project, { ref: 'restricted' }),
  ];
  assert.equal((await developer.post(`${at}/${open}/cancel`)).status, 200);
  assert.equal((await developer.post(`${at}/${restricted}/cancel`)).status, 403);
  assert.equal((await maintainer.post(`${at}/${restricted}/cancel`)).status, 200);
});

test('Owners delete a pipeline with its jobs; Maintainers get 403', async () => {
  const pipeline = await createPipelineFixture(here, project, { a: {} });
  const job = await pipeline.getJobId('a');
  assert.equal((await maintainer.delete(`${at}/${pipeline.id}`)).status, 403);
  assert.equal((await owner.delete(`${at}/${pipeline.id}`)).status, 204);
  assert.deepEqual((await owner.get(`${at}/${pipeline.id}`)).body, { message: '404 Not found' });
  assert.equal((await owner.get(`${project.at}/jobs/${job}`)).status, 404);
});

test('filters and orders pipelines, and finds them by name', async () => {
  const listed = await newProject({ readme: true });
  const [a, b, c] = [
    await insertPipelineRow(here, listed, { ref: 'x', status: 'success', source: 'api' }),
    await insertPipelineRow(here, listed, { ref: 'y', status: 'running', yaml_errors: 'odd' }),
    await insertPipelineRow(here, listed, { ref: 'x', status: 'failed' }),
  ];
  const list = async (query: string) =>
    (await listed.owner.get(`${listed.at}/pipelines?${query}`)).body.map(({ id }: { id: number }) => id);
  assert.deepEqual(await list(''), [c, b, a]);
  assert.deepEqual(await list('sort=asc&order_by=ref'), [a, c, b]);
  assert.deepEqual([await list('scope=finished'), await list('scope=running')], [[c, a], [b]]);
  assert.deepEqual([await list('scope=branches'), await list('scope=tags')], [[c, b], []]);
  assert.deepEqual([await list('source=api'), await list('status=failed'), await list('ref=y')], [[a], [c], [b]]);
  assert.deepEqual([await list('source=merge_request_event'), await list('source=unknown')], [[], []]);
  assert.deepEqual([await list('yaml_errors=true'), await list('username=nobody')], [[b], []]);
  assert.deepEqual(await list(`username=${listed.owner.username}&ref=x`), [c, a]);
  assert.equal((await listed.owner.get(`${listed.at}/pipelines/latest?ref=x`)).body.id, c);
  assert.equal((await listed.owner.get(`${listed.at}/pipelines/latest?ref=z`)).status, 404);
  const renamed = await listed.owner.put(`${listed.at}/pipelines/${a}/metadata`, { name: 'Nightly' });
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Nightly']);
  assert.deepEqual(await list('name=Nightly'), [a]);
});

test('returns queued_duration in whole seconds, and null below one second', async () => {
  const queuedDuration = async (milliseconds: number) => {
    const created_at = here.clock.now().toISOString();
    const started_at = new Date(here.clock.now().getTime() + milliseconds).toISOString();
    const id = await insertPipelineRow(here, project, { created_at, started_at });
    return (await owner.get(`${at}/${id}`)).body.queued_duration;
  };
  assert.deepEqual([await queuedDuration(2900), await queuedDuration(900)], [2, null]);
});

test('anyone reads pipelines of a public project, and members those of a private one', async () => {
  const open = await newProject({ visibility: 'public', readme: true });
  const publicPipeline = `${open.at}/pipelines/${await insertPipelineRow(here, open)}`;
  assert.equal((await anonymous.get(publicPipeline)).status, 200);
  assert.deepEqual((await anonymous.get(`${publicPipeline}/bridges`)).body, []);
  assert.equal((await anonymous.get(`${publicPipeline}/bridges`, { scope: ['lost'] })).status, 400);
  assert.equal((await anonymous.get(`${publicPipeline}/variables`)).status, 401);
  assert.equal((await anonymous.post(`${publicPipeline}/cancel`)).status, 401);
  const privatePipeline = `${at}/${await insertPipelineRow(here, project)}`;
  assert.equal((await anonymous.get(privatePipeline)).status, 404);
  assert.equal((await guest.get(privatePipeline)).status, 200);
  assert.deepEqual((await maintainer.get(`${privatePipeline}/variables`)).body, []);
  assert.equal((await developer.get(`${privatePipeline}/variables`)).status, 403);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import { enqueue } from '#jobs/job.ts';
import { createMetrics } from '#runtime/metrics.ts';
import { world } from '#test/support/world.ts';
import { addServerMetrics } from './metrics.ts';
import { buildJobCountQuery, buildMailCountQuery } from './store.ts';

const here = await world();
const { server, clock, anonymous } = here;
const { database } = server.services;

/** Returns the value of the series; undefined if there is none. */
function sampleOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

async function readMetrics(): Promise<string> {
  const { status, text } = await anonymous.get('//-/metrics');
  assert.equal(status, 200);
  return text;
}

const job = { kind: 'of_metrics_test', handle: async () => {} };

test('shows the background jobs of all processes by kind and state, and the age of the oldest due one', async (t) => {
  const row = { kind: job.kind, payload: '{}', created_at: clock.now().toISOString() };
  await database.transaction(async (tx) => {
    await enqueue(tx, job, {}, { key: 'due' });
    await enqueue(tx, job, {}, { key: 'later', runAt: '2999-01-01T00:00:00.000Z' });
    await tx
      .insertInto('background_jobs')
      .values({ ...row, run_at: tx.now, state: 'dead' })
      .execute();
  });
  t.after(() => database.transaction((tx) => tx.deleteFrom('background_jobs').where('kind', '=', job.kind).execute()));
  clock.advance(90);
  const text = await readMetrics();
  for (const state of ['due', 'scheduled', 'dead'])
    assert.equal(sampleOf(text, `hearth_jobs{kind="${job.kind}",state="${state}"}`), 1, state);
  assert.equal(sampleOf(text, `hearth_job_oldest_due_seconds{kind="${job.kind}"}`), 90);
});

test('shows the database, its work, mails, git processes and file systems', async () => {
  const text = await readMetrics();
  assert.equal(sampleOf(text, 'hearth_database_up'), 1);
  assert.ok(sampleOf(text, 'hearth_database_work_total{work="transaction"}')! > 0);
  assert.ok(sampleOf(text, 'hearth_database_work_seconds_total{work="read"}')! > 0);
  assert.equal(sampleOf(text, 'hearth_database_transactions{state="waiting"}'), 0);
  assert.equal(sampleOf(text, 'hearth_mails_waiting'), 0);
  assert.equal(sampleOf(text, 'hearth_mail_oldest_due_seconds'), 0);
  assert.match(text, /^# TYPE hearth_git_children gauge$/m);
  for (const directory of ['data', 'blobs', 'storage default'])
    assert.ok(sampleOf(text, `hearth_disk_size_bytes{directory="${directory}"}`)! > 0, directory);
});

test('counts what the caches answer', async () => {
  const project = await here.newProject();
  const count = (text: string) => sampleOf(text, 'hearth_response_cache_requests_total{outcome="hit"}') ?? 0;
  const before = count(await readMetrics());
  let text = '';
  // On PostgreSQL a commit of another test outdates cached responses.
  for (let run = 0; run < 50 && count(text) <= before; run++) {
    await project.owner.get(`${project.at}/labels`);
    text = await readMetrics();
  }
  assert.ok(count(text) > before);
  assert.ok(sampleOf(text, 'hearth_query_cache_requests_total{outcome="miss"}')! > 0);
});

test('counts jobs and mails without reading whole tables', async () => {
  await database.transaction(async (tx) => {
    const plan = async (query: Parameters<typeof explainPlan>[1]) => (await explainPlan(tx, query)).join('\n');
    const jobs = await plan(buildJobCountQuery(tx, tx.now));
    assert.match(jobs, /background_jobs_by_run_at/);
    assert.match(jobs, /background_jobs_dead/);
    assert.match(await plan(buildMailCountQuery(tx)), /mail_messages_(due|waiting|by_state)/);
  });
});

test('records the duration of git processes and of background jobs', async () => {
  const project = await here.newProject({ readme: true });
  await project.owner.get(`${project.at}/repository/archive`);
  await here.runJobs();
  const text = await readMetrics();
  assert.match(text, /^hearth_git_child_duration_seconds_count\{command="[\w-]+",outcome="ok"\} [1-9]/m);
  assert.match(text, /^hearth_job_duration_seconds_count\{kind="[\w-]+",outcome="done"\} [1-9]/m);
});

test('serves metrics while the database is unavailable', async () => {
  const reader = new Proxy(database.reader, {
    get: () => {
      throw new Error('gone');
    },
  });
  const metrics = createMetrics();
  addServerMetrics(metrics, { ...server.services, database: { ...database, reader } });
  const text = await metrics.text();
  assert.equal(sampleOf(text, 'hearth_database_up'), 0);
  assert.doesNotMatch(text, /^hearth_(jobs|mails_waiting)\b/m);
  assert.ok(sampleOf(text, 'hearth_disk_size_bytes{directory="data"}')! > 0);
});

test('ignores API credentials while no metrics token is set', async () => {
  for (const headers of [{ 'PRIVATE-TOKEN': 'glpat-nobody-has-this' }, { Authorization: 'Bearer nobody-has-this' }])
    assert.equal((await anonymous.send('GET', '//-/metrics', { headers })).status, 200);
});

test('requires the metrics token of the settings, and accepts no other credential', async () => {
  const secret = 'metrics-token-0123456789';
  const { anonymous, root } = await world({ env: { HEARTH_METRICS_TOKEN: secret } });
  const read = (caller: typeof root, headers: Record<string, string>, path = '//-/metrics') =>
    caller.send('GET', path, { headers });
  const accepted = await read(anonymous, { Authorization: `Bearer ${secret}` });
  assert.equal(accepted.status, 200);
  assert.match(accepted.text, /^hearth_build_info/m);
  const attempts: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer ' },
    { Authorization: `Bearer ${secret}x` },
    { Authorization: `Bearer ${secret.slice(0, -1)}` },
    { Authorization: `Basic ${Buffer.from(`${secret}:${secret}`).toString('base64')}` },
    { 'PRIVATE-TOKEN': secret },
  ];
  for (const headers of attempts) {
    const refused = await read(anonymous, headers);
    assert.deepEqual([refused.status, refused.body], [401, { message: '401 Unauthorized' }], JSON.stringify(headers));
    assert.equal(refused.headers['www-authenticate'], 'Bearer realm="Metrics"');
  }
  assert.equal((await read(root, {})).status, 401);
  assert.equal((await read(anonymous, {}, `//-/metrics?access_token=${secret}`)).status, 401);
  for (const probe of ['health', 'liveness', 'readiness'])
    assert.equal((await read(anonymous, {}, `//-/${probe}`)).status, 200, probe);
});

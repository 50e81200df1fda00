import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

test('counts requests by endpoint, method and status class', async () => {
  const metrics = createMetrics();
  for (const status of [200, 201, 404]) {
    metrics.recordRequest({ endpoint: 'listProjects', method: 'GET', status, seconds: 0.01 });
  }
  const text = await metrics.text();
  assert.match(text, /hearth_http_requests_total\{endpoint="listProjects",method="GET",status="2xx"\} 2\n/);
  assert.match(text, /hearth_http_requests_total\{endpoint="listProjects",method="GET",status="4xx"\} 1\n/);
  assert.match(text, /hearth_http_request_duration_seconds_bucket\{le="0.02",endpoint="listProjects"\} 3\n/);
  assert.match(text, /hearth_http_request_duration_seconds_bucket\{le="0.005",endpoint="listProjects"\} 0\n/);
});

test('counts jobs and git processes by outcome', async () => {
  const metrics = createMetrics();
  metrics.recordJob({ kind: 'clean_up_blobs', outcome: 'retried', seconds: 1 });
  metrics.recordGitProcess({ command: 'cat-file', outcome: 'killed', seconds: 3 });
  const text = await metrics.text();
  assert.match(text, /hearth_job_duration_seconds_count\{kind="clean_up_blobs",outcome="retried"\} 1\n/);
  assert.match(text, /hearth_git_child_duration_seconds_sum\{command="cat-file",outcome="killed"\} 3\n/);
});

test('reads a gauge when metrics are requested', async () => {
  const metrics = createMetrics();
  let length = 3;
  metrics.addGauge('hearth_queue_length', 'Jobs that wait.', async () => length);
  assert.match(await metrics.text(), /\nhearth_queue_length 3\n/);
  length = 4;
  assert.match(await metrics.text(), /\nhearth_queue_length 4\n/);
});

test('counts requests in progress, and those that a limit rejected', async () => {
  const metrics = createMetrics();
  const endRequest = metrics.startRequest();
  assert.match(await metrics.text(), /\nhearth_http_requests_in_progress 1\n/);
  endRequest();
  for (const status of [200, 429, 503, 500])
    metrics.recordRequest({ endpoint: 'listIssues', method: 'GET', status, seconds: 1 });
  const text = await metrics.text();
  assert.match(text, /\nhearth_http_requests_in_progress 0\n/);
  const rejected = text.match(/^hearth_http_rejected_requests_total\{.*$/gm);
  assert.deepEqual(rejected, [
    'hearth_http_rejected_requests_total{endpoint="listIssues",status="429"} 1',
    'hearth_http_rejected_requests_total{endpoint="listIssues",status="503"} 1',
  ]);
});

test('counts slow requests in buckets up to two minutes', async () => {
  const metrics = createMetrics();
  metrics.recordRequest({ endpoint: 'getArchive', method: 'GET', status: 200, seconds: 90 });
  const text = await metrics.text();
  assert.match(text, /_duration_seconds_bucket\{le="30",endpoint="getArchive"\} 0\n/);
  assert.match(text, /_duration_seconds_bucket\{le="120",endpoint="getArchive"\} 1\n/);
});

test('replaces the samples of a metric with labels at each reading', async () => {
  const metrics = createMetrics();
  let samples = [{ labels: { kind: 'a' }, value: 2 }];
  metrics.addGauge('hearth_jobs', 'Jobs.', () => samples, ['kind']);
  metrics.addCounter('hearth_work_total', 'Work.', () => samples, ['kind']);
  assert.match(await metrics.text(), /\nhearth_jobs\{kind="a"\} 2\n[\s\S]*\nhearth_work_total\{kind="a"\} 2\n/);
  samples = [{ labels: { kind: 'b' }, value: 3 }];
  const text = await metrics.text();
  assert.match(text, /\nhearth_jobs\{kind="b"\} 3\n[\s\S]*\nhearth_work_total\{kind="b"\} 3\n/);
  assert.doesNotMatch(text, /kind="a"/);
});

test('leaves out a metric that cannot be read, and returns all others', async () => {
  const metrics = createMetrics();
  metrics.addGauge('hearth_jobs', 'Jobs.', async () => Promise.reject(new Error('no database')));
  const text = await metrics.text();
  assert.doesNotMatch(text, /^hearth_jobs /m);
  assert.match(text, /^process_resident_memory_bytes [1-9]/m);
});

test('reads metrics once for concurrent callers', async () => {
  const metrics = createMetrics();
  let count = 0;
  metrics.addGauge('hearth_readings', 'Readings.', async () => ++count);
  const texts = await Promise.all([metrics.text(), metrics.text()]);
  assert.deepEqual([count, texts[0] === texts[1]], [1, true]);
});

test('reports process metrics without keeping the process alive', async () => {
  const before = process.getActiveResourcesInfo().length;
  const metrics = createMetrics();
  assert.equal(process.getActiveResourcesInfo().length, before);
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/);
  const text = await metrics.text();
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_used_bytes', 'process_start_time_seconds']) {
    assert.match(text, new RegExp(`\\n${name} [1-9]`), name);
  }
  assert.match(text, /\nnodejs_event_loop_active_seconds_total \d/);
  assert.match(text, /\nnodejs_event_loop_delay_seconds_bucket\{le="10"\} \d/);
  assert.match(text, /\nprocess_cpu_seconds_total 0?\.?\d*[1-9]/);
});

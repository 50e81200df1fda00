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
  metrics.recordJob({ kind: 'sweepBlobs', outcome: 'retried', seconds: 1 });
  metrics.recordGitProcess({ command: 'cat-file', outcome: 'killed', seconds: 3 });
  const text = await metrics.text();
  assert.match(text, /hearth_job_duration_seconds_count\{kind="sweepBlobs",outcome="retried"\} 1\n/);
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

test('reports process metrics without keeping the process alive', async () => {
  const before = process.getActiveResourcesInfo().length;
  const metrics = createMetrics();
  assert.equal(process.getActiveResourcesInfo().length, before);
  assert.match(metrics.contentType, /^text\/plain; version=0\.0\.4/);
  const text = await metrics.text();
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_used_bytes', 'process_start_time_seconds']) {
    assert.match(text, new RegExp(`\\n${name} [1-9]`), name);
  }
  assert.match(text, /\nprocess_cpu_seconds_total 0?\.?\d*[1-9]/);
});

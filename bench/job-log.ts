// `node bench/job-log.ts [MEGABYTES]`: a log of this many megabytes (50), sent in chunks of one megabyte while another
// client reads it, then joined and read again. Prints the rise of resident memory, and checks that each byte is read back.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startHearth } from './processes.ts';

const MEGABYTE = 1024 * 1024;
const megabytes = Number(process.argv[2] ?? 50);
const TOKEN = 'glpat-bench-token-0000000001';
const dataDir = mkdtempSync(join(tmpdir(), 'hearth-trace-'));
const hearth = await startHearth(dataDir, { HEARTH_ROOT_TOKEN: TOKEN });

async function call(method: string, path: string, body?: object): Promise<{ id: number; token: string }> {
  const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
  const options = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${hearth.address}/api/v4${path}`, options);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (answer.headers.get('content-type') === 'application/json' ? answer.json() : null) as never;
}

async function digestOfLog(project: number, job: number): Promise<string> {
  const path = `${hearth.address}/api/v4/projects/${project}/jobs/${job}/trace`;
  const answer = await fetch(path, { headers: { 'PRIVATE-TOKEN': TOKEN } });
  const hash = createHash('sha256');
  for await (const bytes of answer.body!) hash.update(bytes);
  return hash.digest('hex');
}

const project = await call('POST', '/projects', { name: 'logs' });
const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'log:\n  script: [run]\n' }];
const commit = { branch: 'main', commit_message: 'Log [skip ci]', actions };
await call('POST', `/projects/${project.id}/repository/commits`, commit);
const runner = await call('POST', '/user/runners', { runner_type: 'instance_type' });
await call('POST', `/projects/${project.id}/pipeline`, { ref: 'main' });
const job = await call('POST', '/jobs/request', { token: runner.token });

let most = 0;
const before = hearth.memory();
const watch = setInterval(() => {
  most = Math.max(most, hearth.memory());
}, 20);
const whole = createHash('sha256');
const computed = hearth.computed();
for (let at = 0; at < megabytes; at++) {
  // All chunks differ, and the bytes are not text.
  const piece = Buffer.alloc(MEGABYTE, createHash('sha512').update(String(at)).digest());
  whole.update(piece);
  const headers = { 'JOB-TOKEN': job.token, 'Content-Range': `${at * MEGABYTE}-${(at + 1) * MEGABYTE - 1}` };
  const answer = await fetch(`${hearth.address}/api/v4/jobs/${job.id}/trace`, {
    method: 'PATCH',
    headers,
    body: piece,
  });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
}
const sent = whole.digest('hex');
say('appended', (await digestOfLog(project.id, job.id)) === sent);
await call('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
await pause(3000);
say('put together', (await digestOfLog(project.id, job.id)) === sent);
clearInterval(watch);
await hearth.stop();
rmSync(dataDir, { recursive: true, force: true });

function say(name: string, isSame: boolean): void {
  const rise = Math.max(most, hearth.memory()) - before;
  const work = hearth.computed() - computed;
  const bytes = isSame ? 'every byte is there' : 'BYTES DIFFER';
  process.stdout.write(
    `${name.padEnd(15)} ${megabytes} MiB: at most ${rise.toFixed(0)} MiB over ${before.toFixed(0)}, ${work.toFixed(0)} ms computed, ${bytes}\n`,
  );
}

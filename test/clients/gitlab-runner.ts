// Drives a Hearth server with gitlab-runner and its shell executor as a team would: one line a step.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '', CLIENT = '' } = process.env;
const place = mkdtempSync(join(tmpdir(), 'hearth-gitlab-runner-'));
const config = join(place, 'config.toml');
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', HOME: place };
const project = '/projects/root%2Fbuilt';
const CI = `
build:
  stage: build
  script:
    - mkdir -p out && echo "made of $CI_COMMIT_SHA" > out/made.txt
    - git log -1 --format=%s
  artifacts: { paths: [out/], expire_in: 1 week }
unit:
  stage: test
  script:
    - grep "made of $CI_COMMIT_SHA" out/made.txt
    - test "$CI_JOB_NAME" = unit && echo "read of $CI_PROJECT_PATH, $CI_COMMIT_REF_NAME"
broken:
  stage: test
  allow_failure: true
  script: [exit 3]
ship:
  stage: deploy
  when: manual
  script:
    - test -f out/made.txt && echo "shipped to $PLACE"
`;

interface Job {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly failure_reason?: string;
  readonly runner: { readonly id: number; readonly description: string } | null;
}
interface Runner {
  readonly id: number;
  readonly description: string;
  readonly status: string;
  readonly runner_type: string;
  readonly tag_list: readonly string[];
}

function runner(...args: string[]): string {
  return execFileSync(CLIENT, args, { cwd: place, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function git(...args: string[]): string {
  const cwd = join(place, 'work');
  return execFileSync('git', ['-C', cwd, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

async function json<T>(path: string): Promise<T> {
  const answer = await api('GET', path);
  assert.equal(answer.status, 200, path);
  return (await answer.json()) as T;
}

/** What is asked for, once it is as it should be; the runner takes its time. */
async function until<T>(what: string, ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 80; turn++) {
    const found = await ask();
    if (holds(found)) return found;
    await wait(250);
  }
  throw new Error(`${what} never came; last: ${JSON.stringify(await ask()).slice(0, 300)}`);
}

async function jobsOf(ref: string): Promise<Job[]> {
  const [pipeline] = await json<{ id: number }[]>(`${project}/pipelines?ref=${ref}`);
  return pipeline ? json<Job[]>(`${project}/pipelines/${pipeline.id}/jobs`) : [];
}

async function job(name: string, status: string, ref = 'main'): Promise<Job> {
  const found = await until(
    `${name} being ${status}`,
    () => jobsOf(ref),
    (jobs) => jobs.some((one) => one.name === name && one.status === status),
  );
  return found.find((one) => one.name === name)!;
}

/** Its lines, before which newer runners write the time. */
async function logOf({ id }: Job): Promise<string> {
  const text = await (await api('GET', `${project}/jobs/${id}/trace`)).text();
  return text.replaceAll(/^\d{4}-\d\d-\S{1,30}Z \S{2}[OE][ +]/gm, '');
}

function push(ref: string, file: string, message: string): void {
  writeFileSync(join(place, 'work/.gitlab-ci.yml'), file);
  git('add', '.');
  git('commit', '-q', '-m', message);
  git('push', '-q', 'origin', `HEAD:${ref}`);
}

const where = ['--config', config, '--non-interactive', '--url', HEARTH, '--executor', 'shell', '--shell', 'bash'];

await step('registering with a registration token', async () => {
  assert.equal((await api('POST', '/projects', { name: 'built' })).status, 201);
  const { runners_token: token } = await json<{ runners_token: string }>(project);
  runner('register', ...where, '--registration-token', token, '--description', 'of the project', '--run-untagged');
  const [found] = await json<Runner[]>(`${project}/runners?type=project_type`);
  assert.deepEqual([found?.description, found?.runner_type], ['of the project', 'project_type']);
});

await step('registering with the token of a runner that was made before', async () => {
  const order = { runner_type: 'instance_type', description: 'of all', tag_list: ['shared'], run_untagged: false };
  const made = (await (await api('POST', '/user/runners', order)).json()) as { id: number; token: string };
  assert.match(made.token, /^glrt-/);
  runner('register', ...where, '--token', made.token, '--name', 'of all');
  assert.equal((await json<Runner>(`/runners/${made.id}`)).status, 'online');
  assert.ok(readFileSync(config, 'utf8').includes(made.token));
});

await step('what is registered is verified, and nothing else', async () => {
  runner('verify', '--config', config);
  assert.throws(() => runner('register', ...where, '--token', 'wrong'));
  assert.throws(() => runner('register', ...where, '--registration-token', 'wrong'));
  const statuses = (await json<Runner[]>('/runners/all')).map(({ status }) => status);
  assert.deepEqual(statuses, ['online', 'online']);
});

// Ten times as often as by default it asks for work.
const asked = readFileSync(config, 'utf8').replace(/^check_interval = .*$/m, 'check_interval = 1');
writeFileSync(config, asked.replace(/^concurrent = .*$/m, 'concurrent = 2'));
let said = '';
const service = spawn(CLIENT, ['run', '--config', config, '--working-directory', place], { cwd: place, env });
for (const stream of [service.stdout, service.stderr]) stream.on('data', (bytes) => (said += bytes));
const ended = once(service, 'exit');

await step('a push runs: a stage after the other, what one has left is there in the next', async () => {
  execFileSync('git', ['init', '-q', '-b', 'main', join(place, 'work')], { env });
  git('config', 'user.name', 'Built');
  git('config', 'user.email', 'built@hearth.test');
  git('remote', 'add', 'origin', `${HEARTH.replace('://', `://root:${TOKEN}@`)}/root/built.git`);
  push('main', CI, 'Build it');
  const unit = await job('unit', 'success');
  assert.equal(unit.runner?.description, 'of the project');
  assert.match(await logOf(await job('build', 'success')), /^Build it$/m);
  assert.match(await logOf(unit), /Downloading artifacts for build/);
  assert.match(await logOf(unit), /^read of root\/built, main$/m);
});

await step('a script that fails is told with its code, and may fail where the file says so', async () => {
  const broken = await job('broken', 'failed');
  assert.equal(broken.failure_reason, 'script_failure');
  assert.match(await logOf(broken), /exit (status|code) 3/);
});

await step('what a job has left is there for users', async () => {
  const { id } = await job('build', 'success');
  const answer = await api('GET', `${project}/jobs/${id}/artifacts`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.deepEqual([answer.status, bytes.subarray(0, 2).toString()], [200, 'PK']);
  assert.ok(bytes.includes('out/made.txt'));
});

// What the runner itself tells of a token is its beginning.
await step('the token of a job is in no log', async () => {
  for (const name of ['build', 'unit']) assert.doesNotMatch(await logOf(await job(name, 'success')), /glcbt-\S{8}/);
});

await step('a manual job waits until it is played, and hears what it is given', async () => {
  const ship = await job('ship', 'manual');
  const given = { job_variables_attributes: [{ key: 'PLACE', value: 'the sea' }] };
  assert.equal((await api('POST', `${project}/jobs/${ship.id}/play`, given)).status, 200);
  assert.match(await logOf(await job('ship', 'success')), /^shipped to the sea$/m);
  const [pipeline] = await json<{ status: string }[]>(`${project}/pipelines?ref=main`);
  assert.equal(pipeline?.status, 'success');
});

await step('a job that is canceled in the middle is ended by the runner', async () => {
  const stays = join(place, 'stays');
  // A runner that has nothing to tell would ask after half a minute only.
  const told = 'for second in $(seq 60); do echo begun; sleep 1; done';
  push('slow', `long:\n  script: ["${told}", "touch ${stays}"]\n`, 'Take long');
  const long = await job('long', 'running', 'slow');
  await until(
    'its log',
    () => logOf(long),
    (log) => /^begun$/m.test(log),
  );
  assert.equal((await api('POST', `${project}/jobs/${long.id}/cancel`)).status, 201);
  await until(
    'the end of it',
    async () => said,
    (text) =>
      new RegExp(`job=${long.id}\\b.*(aborted|canceled)|(aborted|canceled).*job=${long.id}\\b`).test(plain(text)),
  );
  assert.equal((await job('long', 'canceled', 'slow')).id, long.id);
  assert.throws(() => readFileSync(stays));
});

await step('a runner that is paused gets nothing, and goes on when it is not', async () => {
  const [found] = await json<Runner[]>(`${project}/runners?type=project_type`);
  assert.equal((await api('PUT', `/runners/${found!.id}`, { paused: true })).status, 200);
  push('later', 'later:\n  script: [echo later]\n', 'Wait');
  await job('later', 'pending', 'later');
  await wait(2500);
  await job('later', 'pending', 'later');
  assert.equal((await api('PUT', `/runners/${found!.id}`, { paused: false })).status, 200);
  await job('later', 'success', 'later');
});

await step('a job with tags goes to the runner that has them', async () => {
  push('tagged', 'tagged:\n  tags: [shared]\n  script: [echo tagged]\n', 'Tag');
  assert.equal((await job('tagged', 'success', 'tagged')).runner?.description, 'of all');
});

service.kill('SIGQUIT');
await ended;

await step('run-single does one job and ends', async () => {
  push('single', 'single:\n  script: [echo alone]\n', 'Once');
  await job('single', 'pending', 'single');
  const token = /name = "of the project"[^[]*token = "([^"]+)"/.exec(readFileSync(config, 'utf8'))![1]!;
  const own = ['--url', HEARTH, '--token', token, '--executor', 'shell', '--builds-dir', join(place, 'builds')];
  runner('run-single', ...own, '--shell', 'bash', '--max-builds', '1', '--wait-timeout', '30');
  assert.match(await logOf(await job('single', 'success', 'single')), /^alone$/m);
});

await step('who is unregistered is there no more', async () => {
  runner('unregister', '--config', config, '--all-runners');
  const left = await json<Runner[]>('/runners/all');
  // Newer ones leave a runner that a user has made: what goes is this machine as one that runs it.
  for (const { id } of left) assert.deepEqual(await json<object[]>(`/runners/${id}/managers`), []);
  assert.deepEqual(
    left.filter(({ runner_type }) => runner_type === 'project_type'),
    [],
  );
});

rmSync(place, { recursive: true, force: true });

/** Without the colours of a terminal. */
function plain(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

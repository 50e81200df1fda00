// Drives a Hearth server with glab as a user would at a terminal: one line a step.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '', CLIENT = '' } = process.env;
const home = mkdtempSync(join(tmpdir(), 'hearth-glab-'));
const host = new URL(HEARTH).host;
const settings = `git_protocol: http
check_update: false
host: ${host}
hosts:
  "${host}": { api_protocol: http, git_protocol: http, api_host: "${host}", token: ${TOKEN} }
`;
mkdirSync(join(home, 'glab-cli'));
writeFileSync(join(home, 'glab-cli/config.yml'), settings, { mode: 0o600 });
const env = {
  ...process.env,
  HOME: home,
  XDG_CONFIG_HOME: home,
  GITLAB_HOST: HEARTH,
  GITLAB_TOKEN: TOKEN,
  NO_PROMPT: '1',
  NO_COLOR: '1',
};
const at = '/projects/root%2Fseen';
const work = join(home, 'work');

/** In the clone; it is named besides, because this client knows no remotes whose address has a port. */
function glab(...args: string[]): string {
  const whole = args[0] === 'api' ? args : [...args, '--repo', 'root/seen'];
  return execFileSync(CLIENT, whole, { cwd: work, env, encoding: 'utf8', stdio: 'pipe', timeout: 30_000 });
}

/** What an own runner is given, without a program that runs it. */
async function takeJob(token: string): Promise<{ id: number; token: string }> {
  const answer = await api('POST', '/jobs/request', { token });
  assert.equal(answer.status, 201);
  return (await answer.json()) as { id: number; token: string };
}

const CI = 'build:\n  stage: build\n  script: [make]\nunit:\n  script: [make test]\n';
let runner = '';
await step('a project with a pipeline', async () => {
  assert.equal((await api('POST', '/projects', { name: 'seen' })).status, 201);
  const order = { runner_type: 'instance_type', description: 'by hand' };
  runner = ((await (await api('POST', '/user/runners', order)).json()) as { token: string }).token;
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: CI }];
  const commit = { branch: 'main', commit_message: 'Build', actions };
  assert.equal((await api('POST', `${at}/repository/commits`, commit)).status, 201);
  execFileSync('git', ['clone', '-q', `${HEARTH.replace('://', `://root:${TOKEN}@`)}/root/seen.git`, work], { env });
  for (let turn = 0; turn < 40 && (await (await api('GET', `${at}/pipelines`)).text()) === '[]'; turn++)
    await wait(250);
});

await step('ci list', () => assert.match(glab('ci', 'list'), /^\(pending\) • #1\s+main/m));

await step('ci status', () => {
  const shown = glab('ci', 'status');
  assert.match(shown, /^\(pending\).*build\s+build$/m);
  assert.match(shown, /^\(created\).*test\s+unit$/m);
  assert.match(shown, /^Pipeline State: pending$/m);
});

await step('ci trace', async () => {
  const { id, token } = await takeJob(runner);
  const headers = { 'JOB-TOKEN': token, 'Content-Range': '0-5' };
  const sent = await fetch(`${HEARTH}/api/v4/jobs/${id}/trace`, { method: 'PATCH', headers, body: 'made\n' });
  assert.equal(sent.status, 202);
  assert.equal((await api('PUT', `/jobs/${id}`, { token, state: 'failed' })).status, 200);
  assert.match(glab('ci', 'trace', String(id)), /^made$/m);
});

await step('ci retry', async () => {
  glab('ci', 'retry', '1');
  const jobs = (await (await api('GET', `${at}/pipelines/1/jobs`)).json()) as { name: string; status: string }[];
  assert.equal(jobs.find(({ name }) => name === 'build')?.status, 'pending');
});

await step('ci run and ci delete', async () => {
  assert.match(glab('ci', 'run', '--branch', 'main', '--variables', 'MODE:full'), /id: 2 .*status: pending/);
  const given = (await (await api('GET', `${at}/pipelines/2/variables`)).json()) as { key: string; value: string }[];
  assert.deepEqual([given[0]?.key, given[0]?.value], ['MODE', 'full']);
  glab('ci', 'delete', '2');
  assert.equal((await api('GET', `${at}/pipelines/2`)).status, 404);
});

await step('api, as ci get reads it', () => {
  const pipeline = JSON.parse(glab('api', `${at.slice(1)}/pipelines/1`)) as {
    status: string;
    user: { username: string };
  };
  assert.deepEqual([pipeline.status, pipeline.user.username], ['pending', 'root']);
});

await step('mr list', async () => {
  assert.match(glab('mr', 'list'), /No open merge requests/);
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a' }];
  await api('POST', `${at}/repository/commits`, { branch: 'b', start_branch: 'main', commit_message: 'A', actions });
  await api('POST', `${at}/merge_requests`, { source_branch: 'b', target_branch: 'main', title: 'Bring it in' });
  assert.match(glab('mr', 'list'), /^!1\s+.*Bring it in/m);
  assert.match(glab('mr', 'view', '1'), /^title:\s+Bring it in$/m);
});

await step('mr diff, rebase and merge', async () => {
  assert.match(glab('mr', 'diff', '1', '--color', 'never'), /^\+a$/m);
  const ahead = [{ action: 'create', file_path: 'ahead.txt', content: 'x' }];
  await api('POST', `${at}/repository/commits`, { branch: 'main', commit_message: 'Ahead', actions: ahead });
  assert.match(glab('mr', 'rebase', '1'), /Rebase successful/);
  // The push of the rebase starts a pipeline, soon.
  assert.match(
    glab('mr', 'merge', '1', '--when-pipeline-succeeds', '--yes'),
    /Will merge when pipeline succeeds|Merged/,
  );
});

await step('issue list', async () => {
  await api('POST', `${at}/issues`, { title: 'It leaks' });
  assert.match(glab('issue', 'list'), /^#1\s+It leaks/m);
  glab('issue', 'note', '1', '--message', 'Seen');
  glab('issue', 'close', '1');
  assert.match(glab('issue', 'view', '1'), /^state:\s+closed$/m);
});

await step('variable set', async () => {
  glab('variable', 'set', 'MODE', 'full');
  const kept = (await (await api('GET', `${at}/variables/MODE`)).json()) as { value: string };
  assert.equal(kept.value, 'full');
});

rmSync(home, { recursive: true, force: true });

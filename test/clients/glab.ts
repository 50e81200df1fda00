// Drives a Hearth server with glab as a user would at a terminal, in a clone: one line a step.
import assert from 'node:assert/strict';
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '', CLIENT = '' } = process.env;
const home = mkdtempSync(join(tmpdir(), 'hearth-glab-'));
const { host, hostname } = new URL(HEARTH);
// It forgets the port of a remote: the host is told apart from where its API is.
const settings = `git_protocol: http
check_update: false
host: ${hostname}
hosts:
  "${hostname}": { api_protocol: http, git_protocol: http, api_host: "${host}", token: ${TOKEN} }
`;
mkdirSync(join(home, 'glab-cli'));
writeFileSync(join(home, 'glab-cli/config.yml'), settings, { mode: 0o600 });
// It checks out over SSH whatever it is told.
const GIT = `[user]
  name = root
  email = admin@example.com
[credential]
  helper = store
[url "${HEARTH}/"]
  insteadOf = git@${hostname}:
`;
writeFileSync(join(home, '.gitconfig'), GIT);
writeFileSync(join(home, '.git-credentials'), `${HEARTH.replace('://', `://root:${TOKEN}@`)}\n`, { mode: 0o600 });
const { GITLAB_HOST: _, GITLAB_TOKEN: __, ...others } = process.env;
const env = { ...others, HOME: home, XDG_CONFIG_HOME: home, NO_PROMPT: '1', NO_COLOR: '1', GIT_CONFIG_NOSYSTEM: '1' };
const at = '/projects/root%2Fseen';
const work = join(home, 'seen');
const settled: ExecFileSyncOptionsWithStringEncoding = { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };

const glabIn = (cwd: string, ...args: string[]) => execFileSync(CLIENT, args, { ...settled, cwd, timeout: 30_000 });
const glab = (...args: string[]) => glabIn(work, ...args);
const git = (...args: string[]) => execFileSync('git', args, { ...settled, cwd: work });

async function json<T>(path: string): Promise<T> {
  const answer = await api('GET', path);
  assert.equal(answer.status, 200, path);
  return (await answer.json()) as T;
}

/** What is asked for, once it is as it should be. */
async function until<T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 40; turn++) {
    const found = await ask();
    if (holds(found)) return found;
    await wait(250);
  }
  throw new Error(`It never came; last: ${JSON.stringify(await ask()).slice(0, 300)}`);
}

interface Pipeline {
  readonly id: number;
  readonly ref: string;
}
const pipelinesOf = (ref: string) => json<Pipeline[]>(`${at}/pipelines?ref=${ref}`);
const pipelineOf = async (ref: string) =>
  (
    await until(
      () => pipelinesOf(ref),
      (found) => found.length > 0,
    )
  )[0]!;

let runner = '';

/** What an own runner is given, without a program that runs it: a job's log, what it leaves, how it ended. */
async function run(left: { trace?: string; artifact?: Buffer; state: string }): Promise<{ id: number }> {
  const answer = await api('POST', '/jobs/request', { token: runner });
  assert.equal(answer.status, 201);
  const { id, token } = (await answer.json()) as { id: number; token: string };
  const own = { 'JOB-TOKEN': token };
  if (left.trace) {
    const headers = { ...own, 'Content-Range': `0-${left.trace.length - 1}` };
    await fetch(`${HEARTH}/api/v4/jobs/${id}/trace`, { method: 'PATCH', headers, body: left.trace });
  }
  if (left.artifact) {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(left.artifact)]), 'artifacts.zip');
    const sent = await fetch(`${HEARTH}/api/v4/jobs/${id}/artifacts`, { method: 'POST', headers: own, body });
    assert.equal(sent.status, 201, await sent.text());
  }
  assert.equal((await api('PUT', `/jobs/${id}`, { token, state: left.state })).status, 200);
  return { id };
}

function branch(name: string, file: string): void {
  git('checkout', '-q', '-b', name, 'main');
  writeFileSync(join(work, file), `${name}\n`);
  git('add', '.');
  git('commit', '-q', '-m', `Write ${file}`);
  git('push', '-q', '-u', 'origin', name);
}

const CI = 'build:\n  stage: build\n  script: [make]\nship:\n  stage: deploy\n  when: manual\n  script: [ship]\n';

await step('repo create, list, clone, view, contributors and archive', async () => {
  mkdirSync(work);
  git('init', '-q', '-b', 'main');
  glab('repo', 'create', 'seen', '--private', '--readme', '--description', 'What is seen', '--tag', 'a', '--tag', 'b');
  rmSync(work, { recursive: true });
  glabIn(home, 'repo', 'clone', 'root/seen');
  assert.match(glab('repo', 'view'), /description:\s+What is seen[\s\S]*# seen/);
  assert.match(glab('repo', 'list'), /^root\/seen\s/m);
  assert.match(glab('repo', 'contributors'), /^Administrator\s.*1 commits/m);
  glabIn(home, 'repo', 'archive', 'root/seen', '--format', 'zip');
  assert.equal(readFileSync(join(home, 'root-seen.zip')).subarray(0, 2).toString(), 'PK');
  assert.deepEqual((await json<{ topics: string[] }>(at)).topics, ['a', 'b']);
});

await step('repo transfer and delete', async () => {
  assert.equal((await api('POST', '/groups', { name: 'Shared', path: 'shared' })).status, 201);
  glab('repo', 'create', 'given', '--group', 'shared', '--internal');
  glab('repo', 'transfer', 'shared/given', '--target-namespace', 'root', '--yes');
  assert.match(glab('repo', 'view', 'root/given'), /Administrator \/ given/);
  glab('repo', 'delete', 'root/given', '--yes');
});

await step('label create, list and delete', () => {
  glab('label', 'create', '--name', 'bug', '--color', '#ff0000', '--description', 'It fails');
  glab('label', 'create', '--name', 'odd', '--color', '#00ff00');
  assert.match(glab('label', 'list'), /bug -> It fails \(#ff0000\)/);
  glab('label', 'delete', 'odd');
  assert.doesNotMatch(glab('label', 'list'), /odd/);
});

const issue = (iid: number) =>
  json<{
    title: string;
    state: string;
    labels: string[];
    weight: number | null;
    due_date: string;
    confidential: boolean;
  }>(`${at}/issues/${iid}`);

await step('issue create, list and view', async () => {
  await api('POST', `${at}/milestones`, { title: 'v1' });
  const whole = ['--label', 'bug', '--milestone', 'v1', '--assignee', 'root', '--due-date', '2030-01-02'];
  const times = ['--time-estimate', '3h', '--time-spent', '1h'];
  glab('issue', 'create', '--title', 'It leaks', '--description', 'Badly', '--yes', ...whole, ...times);
  glab('issue', 'create', '--title', 'Secret', '--description', 'x', '--yes', '--confidential', '--weight', '3');
  assert.match(glab('issue', 'list'), /^#2\s.*Secret[\s\S]*^#1\s.*It leaks\s+\(bug\)/m);
  const narrow = ['--label', 'bug', '--milestone', 'v1', '--assignee', '@me', '--search', 'leak', '--in', 'title'];
  assert.equal(glab('issue', 'list', ...narrow, '--output-format', 'ids').trim(), '1');
  assert.match(glab('issue', 'view', '1'), /^state:\s+open$[\s\S]*^milestone:\s+v1$/m);
  const { due_date, labels } = await issue(1);
  assert.deepEqual([due_date, labels], ['2030-01-02', ['bug']]);
  assert.deepEqual([(await issue(2)).confidential, (await issue(2)).weight], [true, 3]);
});

await step('issues are linked as they are created', async () => {
  glab('issue', 'create', '--title', 'Near', '--description', 'x', '--yes', '--linked-issues', '1');
  assert.deepEqual(
    (await json<{ iid: number }[]>(`${at}/issues/1/links`)).map(({ iid }) => iid),
    [3],
  );
});

await step('issue update, note, subscribe, close, reopen and delete', async () => {
  glab('issue', 'update', '1', '--title', 'It pours', '--label', 'urgent', '--unlabel', 'bug', '--lock-discussion');
  glab('issue', 'update', '1', '--unlock-discussion', '--assignee', '!root', '--weight', '2', '--milestone', '0');
  const { title, labels, weight } = await issue(1);
  assert.deepEqual([title, labels, weight], ['It pours', ['urgent'], 2]);
  glab('issue', 'note', '1', '--message', 'Seen');
  assert.match(glab('issue', 'view', '1', '--comments'), /root commented [\s\S]*^Seen$/m);
  glab('issue', 'unsubscribe', '1');
  assert.match(glab('issue', 'subscribe', '1'), /Subscribed/);
  glab('issue', 'close', '1');
  assert.match(glab('issue', 'list', '--closed'), /^#1\s.*It pours/m);
  glab('issue', 'reopen', '1');
  assert.equal((await issue(1)).state, 'opened');
  glab('issue', 'delete', '2');
});

await step('incident list, view, note, close and reopen', async () => {
  await api('POST', `${at}/issues`, { title: 'Down', issue_type: 'incident' });
  const [iid = ''] = /(?<=^#)\d+/m.exec(glab('incident', 'list')) ?? [];
  assert.match(glab('incident', 'view', iid), /^title:\s+Down$/m);
  glab('incident', 'note', iid, '--message', 'Looking');
  glab('incident', 'close', iid);
  assert.equal((await issue(Number(iid))).state, 'closed');
  glab('incident', 'reopen', iid);
});

await step('ci lint and config compile', async () => {
  writeFileSync(join(work, '.gitlab-ci.yml'), CI);
  assert.match(glab('ci', 'lint'), /CI\/CD YAML is valid/);
  git('add', '.');
  git('commit', '-q', '-m', 'Build');
  git('push', '-q');
  const order = { runner_type: 'instance_type', description: 'by hand' };
  runner = ((await (await api('POST', '/user/runners', order)).json()) as { token: string }).token;
  await pipelineOf('main');
  assert.match(glab('ci', 'lint', '--dry-run', '--include-jobs'), /CI\/CD YAML is valid/);
  writeFileSync(join(work, 'bad.yml'), 'build: [');
  assert.throws(() => glab('ci', 'lint', 'bad.yml'));
  rmSync(join(work, 'bad.yml'));
  assert.match(glab('ci', 'config', 'compile'), /^build:\n\s+stage: build$/m);
});

await step('ci list, status and get', async () => {
  const { id } = await pipelineOf('main');
  assert.match(glab('ci', 'list', '--status', 'pending'), new RegExp(`^\\(pending\\) • #${id}\\s.*main`, 'm'));
  const shown = glab('ci', 'status');
  assert.match(shown, /^\(pending\).*build\s+build$/m);
  assert.match(shown, /^\(created\).*deploy\s+ship$/m);
  const got = JSON.parse(glab('ci', 'get', '--output', 'json', '--with-job-details')) as {
    status: string;
    user: { username: string };
    jobs: unknown[];
  };
  assert.deepEqual([got.status, got.user.username, got.jobs.length], ['pending', 'root', 2]);
});

await step('ci retry, trace, trigger and job artifact', async () => {
  await run({ trace: 'broke\n', state: 'failed' });
  glab('ci', 'retry', 'build');
  // Nothing but an end: a ZIP of no files.
  const artifact = Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]);
  const { id } = await run({ trace: 'made\n', artifact, state: 'success' });
  assert.match(glab('ci', 'trace', String(id)), /^made$/m);
  assert.match(glab('ci', 'trace', 'build'), /^made$/m);
  assert.match(glab('ci', 'trigger', 'ship'), /status: pending/);
  assert.match(glab('ci', 'get'), /^status:\s+running$/m);
  await run({ state: 'success' });
  glab('job', 'artifact', 'main', 'build', '--path', join(home, 'left'));
});

await step('ci run, run-trig, cancel and delete', async () => {
  writeFileSync(join(work, '.git/given.json'), '[{"key":"MODE","value":"full"}]');
  assert.match(glab('ci', 'run', '--branch', 'main', '--variables-from', '.git/given.json'), /status: pending/);
  const [made] = await pipelinesOf('main');
  const given = await json<{ key: string; value: string }[]>(`${at}/pipelines/${made!.id}/variables`);
  assert.deepEqual([given[0]?.key, given[0]?.value], ['MODE', 'full']);
  const { token } = (await (await api('POST', `${at}/triggers`, { description: 'by hand' })).json()) as {
    token: string;
  };
  assert.match(glab('ci', 'run-trig', '--token', token, '--branch', 'main', '--variables', 'K:v'), /status: pending/);
  const [triggered] = await pipelinesOf('main');
  glab('ci', 'cancel', 'pipeline', String(triggered!.id));
  assert.match(glab('ci', 'list', '--status', 'canceled'), new RegExp(`#${triggered!.id}\\b`));
  glab('ci', 'delete', String(triggered!.id));
  glab('ci', 'delete', String(made!.id));
  assert.equal((await api('GET', `${at}/pipelines/${made!.id}`)).status, 404);
});

await step('schedule create, list, update, run and delete', async () => {
  const when = ['--cron', '0 * * * *', '--cronTimeZone', 'UTC', '--ref', 'main', '--active=true'];
  glab('schedule', 'create', '--description', 'Hourly', ...when, '--variable', 'A:b');
  const [id = ''] = /^\d+(?=\s+Hourly\s+0 \* \* \* \*\s+root\s+true)/m.exec(glab('schedule', 'list')) ?? [];
  glab('schedule', 'update', id, '--description', 'Later', '--update-variable', 'A:z', '--create-variable', 'C:d');
  glab('schedule', 'update', id, '--delete-variable', 'C', '--active=false');
  const { description, active, variables } = await json<{ description: string; active: boolean; variables: object[] }>(
    `${at}/pipeline_schedules/${id}`,
  );
  assert.deepEqual([description, active, variables.length], ['Later', false, 1]);
  glab('schedule', 'run', id);
  await until(
    () => json<object[]>(`${at}/pipelines?source=schedule`),
    ({ length }) => length === 1,
  );
  glab('schedule', 'delete', id);
  assert.match(glab('schedule', 'list'), /No schedules/);
});

await step('variable set, get, list, update, export and delete, of a project and of a group', () => {
  glab('variable', 'set', 'MODE', 'full');
  glab('variable', 'set', 'KEY', '--value', 'masked-value-1', '--masked', '--protected', '--raw', '--scope', 'prod');
  assert.equal(glab('variable', 'get', 'KEY', '--scope', 'prod'), 'masked-value-1');
  assert.match(glab('variable', 'list'), /^KEY\s+true\s+true\s+false\s+prod/m);
  glab('variable', 'update', 'MODE', '--value', 'half');
  assert.match(glab('variable', 'export', '--format', 'env'), /^MODE="half"$/m);
  glab('variable', 'delete', 'KEY', '--scope', 'prod');
  glab('variable', 'set', '--group', 'shared', 'GIVEN', '--value', 'down');
  glab('variable', 'update', '--group', 'shared', 'GIVEN', '--value', 'on');
  assert.equal(glab('variable', 'get', '--group', 'shared', 'GIVEN'), 'on');
  glab('variable', 'delete', '--group', 'shared', 'GIVEN');
});

const request = (iid: number) =>
  json<{ title: string; state: string; draft: boolean; labels: string[]; squash: boolean }>(
    `${at}/merge_requests/${iid}`,
  );

await step('mr create, list, view and diff', async () => {
  branch('one', 'one.txt');
  glab('mr', 'create', '--fill', '--yes', '--target-branch', 'main');
  branch('two', 'two.txt');
  const words = ['--title', 'Bring two', '--description', 'Closes #1', '--milestone', 'v1', '--label', 'bug'];
  const ways = [
    '--draft',
    '--assignee',
    'root',
    '--reviewer',
    'root',
    '--remove-source-branch',
    '--squash-before-merge',
  ];
  glab('mr', 'create', '--yes', '--source-branch', 'two', '--target-branch', 'main', ...words, ...ways);
  const { draft, labels, squash } = await request(2);
  assert.deepEqual([draft, labels, squash], [true, ['bug'], true]);
  assert.match(glab('mr', 'list'), /^!2\s.*Draft: Bring two[\s\S]*^!1\s.*Write one\.txt/m);
  assert.doesNotMatch(glab('mr', 'list', '--draft'), /^!1/m);
  assert.doesNotMatch(glab('mr', 'list', '--not-draft'), /^!2/m);
  const narrow = ['--label', 'bug', '--milestone', 'v1', '--reviewer', '@me', '--source-branch', 'two'];
  assert.match(glab('mr', 'list', ...narrow), /^!2/m);
  assert.match(glab('mr', 'view', '2'), /^title:\s+Draft: Bring two$[\s\S]*^milestone:\s+v1$/m);
  assert.match(glab('mr', 'diff', '1', '--color', 'never'), /^\+one$/m);
  assert.match(glab('mr', 'diff', '2', '--raw'), /^diff --git a\/two.txt b\/two.txt$/m);
  assert.match(glab('mr', 'issues', '2'), /^#1\s/m);
});

await step('mr update, note, todo, subscribe, close and reopen', async () => {
  glab(
    'mr',
    'update',
    '2',
    '--ready',
    '--title',
    'Bring it',
    '--unlabel',
    'bug',
    '--label',
    'new',
    '--lock-discussion',
  );
  glab('mr', 'update', '2', '--unlock-discussion', '--assignee', '!root', '--reviewer', '-root', '--milestone', '0');
  const { title, draft, labels } = await request(2);
  assert.deepEqual([title, draft, labels], ['Bring it', false, ['new']]);
  const said = glab('mr', 'note', '2', '--message', 'A word');
  assert.equal(glab('mr', 'note', '2', '--message', 'A word', '--unique'), said);
  assert.match(glab('mr', 'view', '2', '--comments'), /^A word$/m);
  assert.match(glab('mr', 'todo', '2'), /Done/);
  assert.throws(() => glab('mr', 'todo', '2'), /already exists/);
  glab('mr', 'unsubscribe', '2');
  assert.match(glab('mr', 'subscribe', '2'), /subscribed/);
  glab('mr', 'close', '2');
  assert.match(glab('mr', 'list', '--closed'), /^!2/m);
  glab('mr', 'reopen', '2');
  assert.equal((await request(2)).state, 'opened');
});

await step('mr approve and revoke', async () => {
  const order = {
    name: 'Mira',
    username: 'mira',
    email: 'mira@example.com',
    password: 'a-long-word-1',
    skip_confirmation: true,
  };
  const { id } = (await (await api('POST', '/users', order)).json()) as { id: number };
  await api('POST', `${at}/members`, { user_id: id, access_level: 40 });
  const params = { name: 'glab', scopes: ['api'] };
  const { token } = (await (await api('POST', `/users/${id}/personal_access_tokens`, params)).json()) as {
    token: string;
  };
  const as = (...args: string[]) =>
    execFileSync(CLIENT, args, { ...settled, cwd: work, env: { ...env, GITLAB_TOKEN: token } });
  const approvals = async () => (await json<{ approved_by: object[] }>(`${at}/merge_requests/2/approvals`)).approved_by;
  assert.match(as('mr', 'approve', '2'), /Approved/);
  assert.equal((await approvals()).length, 1);
  assert.match(as('mr', 'revoke', '2'), /revoked/i);
  assert.equal((await approvals()).length, 0);
});

await step('mr checkout', () => {
  git('checkout', '-q', 'main');
  git('branch', '-q', '-D', 'one');
  glab('mr', 'checkout', '1');
  assert.equal(git('branch', '--show-current').trim(), 'one');
});

await step('mr rebase, and merge when the pipeline succeeds', async () => {
  const ahead = [{ action: 'create', file_path: 'ahead.txt', content: 'x' }];
  const commit = { branch: 'main', commit_message: 'Ahead [skip ci]', actions: ahead };
  assert.equal((await api('POST', `${at}/repository/commits`, commit)).status, 201);
  const before = (await pipelineOf('one')).id;
  assert.match(glab('mr', 'rebase', '1'), /Rebase successful/);
  // The push of the rebase starts a pipeline, soon.
  await until(
    () => pipelinesOf('one'),
    ([last]) => last!.id > before,
  );
  assert.match(glab('mr', 'merge', '1', '--yes', '--auto-merge'), /Will auto-merge/);
  assert.equal((await request(1)).state, 'opened');
  for (const { id } of await json<Pipeline[]>(`${at}/pipelines?scope=pending`))
    if (id !== (await pipelineOf('one')).id) await api('POST', `${at}/pipelines/${id}/cancel`);
  await run({ state: 'success' });
  await until(
    () => request(1),
    ({ state }) => state === 'merged',
  );
  // What waited for minutes, or for less than a second, is shown.
  assert.match(glab('mr', 'view', '1'), /^state:\s+merged$/m);
});

await step('mr merge at once, squashed, and for an issue', async () => {
  const words = ['--squash', '--squash-message', 'All of two', '--remove-source-branch', '--auto-merge=false'];
  assert.match(glab('mr', 'merge', '2', '--yes', ...words), /Merged/);
  const { state } = await request(2);
  assert.equal(state, 'merged');
  assert.equal(
    (
      await until(
        () => issue(1),
        (found) => found.state === 'closed',
      )
    ).state,
    'closed',
  );
  glab('mr', 'for', '3');
  assert.match(glab('mr', 'list', '--draft'), /^!3\s.*Resolve "Near"/m);
  glab('mr', 'delete', '3');
});

await step('token create, list, rotate and revoke', async () => {
  const scopes = ['--scope', 'api', '--scope', 'read_repository'];
  assert.match(glab('token', 'create', 'robot', '--access-level', 'developer', ...scopes), /^glpat-/);
  assert.match(glab('token', 'list', '--active'), /^\d+\s+robot\s+developer\s+true/m);
  assert.match(glab('token', 'rotate', 'robot'), /^glpat-/);
  glab('token', 'revoke', 'robot');
  assert.doesNotMatch(glab('token', 'list', '--active'), /robot/);
  glab('token', 'create', '--group', 'shared', 'robots', '--access-level', 'owner', '--scope', 'read_api');
  glab('token', 'revoke', '--group', 'shared', 'robots');
});

await step('api, page by page', () => {
  const labels = glab('api', '--paginate', 'projects/:fullpath/labels?per_page=1');
  assert.deepEqual([...labels.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).sort(), ['bug', 'new', 'urgent']);
  const made = JSON.parse(glab('api', 'projects/:id/labels', '-X', 'POST', '-f', 'name=by', '-f', 'color=#00ff00'));
  assert.equal(made.name, 'by');
});

await step('user events', () => assert.match(glab('user', 'events'), /Administrator \/ seen/));

rmSync(home, { recursive: true, force: true });

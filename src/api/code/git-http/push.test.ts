import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';

const { newProject } = await world();

const location = await mkdtemp(join(tmpdir(), 'hearth-push-'));
after(() => rm(location, { recursive: true, force: true }));

/** Real git in a temporary directory, without user configuration. */
function runGit(directory: string, ...args: string[]): Promise<{ ok: boolean; out: string; said: string }> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    HOME: location,
  };
  const identity = ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test', '-c', 'init.defaultBranch=main'];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: join(location, directory), env }, (error, out, said) =>
      resolve({ ok: error === null, out, said }),
    );
  });
}

const remoteUrl = async (caller: Caller, path: string) => {
  const { server } = await world();
  return `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}.git`;
};

let copies = 0;
async function workingCopy(): Promise<string> {
  const name = `copy-${copies++}`;
  await runGit('.', 'init', '-q', name);
  await commit(name, 'first');
  return name;
}

async function commit(copy: string, text: string): Promise<void> {
  await writeFile(join(location, copy, `${text}.txt`), text);
  await runGit(copy, 'add', '.');
  await runGit(copy, 'commit', '-q', '-m', `Write ${text}`);
}

test('creates, protects and records the default branch with the first push', async () => {
  const { project, owner, server } = await world({ project: {} });
  const copy = await workingCopy();
  const pushed = await runGit(copy, 'push', await remoteUrl(owner, project.path_with_namespace), 'HEAD:trunk');
  assert.ok(pushed.ok, pushed.said);
  const pushedTo = await owner.get(project.at);
  assert.deepEqual([pushedTo.body.default_branch, pushedTo.body.empty_repo], ['trunk', false]);
  const [rule] = (await owner.get(`${project.at}/protected_branches`)).body;
  assert.equal(rule.name, 'trunk');
  const events = await server.services.database.reader
    .selectFrom('activity_events')
    .select(['action_name', 'push_action', 'ref', 'commit_count', 'commit_from', 'commit_title', 'author_id'])
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute();
  assert.deepEqual(events, [
    {
      action_name: 'pushed new',
      push_action: 'created',
      ref: 'trunk',
      commit_count: 1,
      commit_from: null,
      commit_title: 'Write first',
      author_id: owner.id,
    },
  ]);
});

/** Each of these pushes is rejected with its message, and `main` stays the only branch. */
async function assertPushRejected(
  { owner, path_with_namespace, repository }: Project,
  cases: readonly [Caller, string[], RegExp][],
) {
  const copy = await workingCopy();
  for (const [caller, args, text] of cases) {
    const { ok, said } = await runGit(copy, 'push', await remoteUrl(caller, path_with_namespace), ...args);
    assert.equal(ok, false);
    assert.match(said, text);
    assert.match(said, /pre-receive hook declined/);
  }
  const { body } = await owner.get(`${repository}/branches`);
  assert.deepEqual(
    body.map((branch: { name: string }) => branch.name),
    ['main'],
  );
}

test('rejects the whole push with a side-band message if one ref is refused', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  await assertPushRejected(project, [
    [
      developer,
      ['-f', 'HEAD:main', 'HEAD:fresh'],
      /GitLab: You are not allowed to push code to protected branches on this project\./,
    ],
    [
      owner,
      ['-f', 'HEAD:main', 'HEAD:fresh'],
      /GitLab: You are not allowed to force push code to a protected branch on this project\./,
    ],
    [owner, [':main', 'HEAD:fresh'], /GitLab: The default branch of a project cannot be deleted\./],
  ]);
});

test('rejects the whole push if one ref is named like an id', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await assertPushRejected(project, [
    [
      owner,
      [`HEAD:refs/heads/${'a'.repeat(40)}`, 'HEAD:fresh'],
      /GitLab: You cannot create a branch with a SHA-1 or SHA-256 branch name\./,
    ],
    [
      owner,
      [`HEAD:refs/tags/${'a'.repeat(64)}`, 'HEAD:fresh'],
      /GitLab: You cannot create a tag with a SHA-1 or SHA-256 tag name\./,
    ],
  ]);
});

test('allows force pushes where a rule allows them, and pushes to unprotected branches', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const copy = await workingCopy();
  const push = async (caller: Caller, ...args: string[]) =>
    runGit(copy, 'push', await remoteUrl(caller, project.path_with_namespace), ...args);
  await owner.post(`${project.at}/protected_branches`, { name: 'forced', allow_force_push: true });
  assert.ok((await push(owner, 'HEAD:forced', 'HEAD:fresh')).ok);
  assert.ok((await push(owner, ':fresh')).ok);
});

/** Sends a client's first request, with this token as the password. */
async function requestRefs(project: string, token: string | null, service = 'git-upload-pack') {
  const { server } = await world();
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` };
  const answer = await fetch(`${server.address}/${project}.git/info/refs?service=${service}`, {
    headers,
    redirect: 'manual',
  });
  return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') };
}

test('answers missing and hidden projects alike', async () => {
  const { owner } = await newProject({ visibility: 'public', readme: true });
  const hidden = await newProject();
  const missing = await requestRefs('no/thing', null);
  assert.deepEqual([missing.status, missing.challenge], [401, 'Basic realm="Hearth"']);
  assert.deepEqual(await requestRefs(hidden.path_with_namespace, null), missing);
  assert.match(
    (await requestRefs(hidden.path_with_namespace, owner.token)).text,
    /could not be found or you don't have permission to view it/,
  );
});

test('rejects wrong credentials even where none are required, and unknown requests', async () => {
  const { withToken } = await world();
  const { owner, path_with_namespace: path } = await newProject({ visibility: 'public', readme: true });
  assert.equal((await requestRefs(path, null)).status, 200);
  assert.equal((await requestRefs(path, null, 'git-receive-pack')).status, 401);
  assert.equal((await requestRefs(path, 'wrong')).status, 401);
  assert.equal((await requestRefs(path, owner.token, 'git-other')).status, 403);
  assert.equal(withToken(owner, null).token, null);
});

test('checks read and write scopes of tokens', async () => {
  const { tokenOf } = await world();
  const { owner, path_with_namespace: path } = await newProject({ visibility: 'public', readme: true });
  const reader = await tokenOf(owner, ['read_repository']);
  assert.equal((await requestRefs(path, reader.token)).status, 200);
  const refused = await requestRefs(path, reader.token, 'git-receive-pack');
  assert.deepEqual([refused.status, refused.text], [403, 'You are not allowed to upload code.']);
  const user = await tokenOf(owner, ['read_user']);
  assert.equal((await requestRefs(path, user.token)).text, 'You are not allowed to download code.');
});

test('allows fetch but not push under the former path of a project', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await owner.put(project.at, { path: 'elsewhere' });
  assert.ok((await runGit('.', 'clone', '-q', await remoteUrl(owner, project.path_with_namespace), 'moved')).ok);
  const copy = await workingCopy();
  const { ok, said } = await runGit(copy, 'push', await remoteUrl(owner, project.path_with_namespace), 'HEAD:new');
  assert.equal(ok, false);
  assert.match(said, /elsewhere\.git|not found/);
});

test('lets one of several concurrent pushes to a branch win, with one event per update', async () => {
  const { project, owner, server } = await world({ project: { readme: true } });
  const remote = await remoteUrl(owner, project.path_with_namespace);
  const all = await Promise.all([1, 2, 3, 4].map(() => workingCopy()));
  const results = await Promise.all(all.map((copy) => runGit(copy, 'push', remote, 'HEAD:race')));
  assert.ok(results.some(({ ok }) => ok));
  const events = await server.services.database.reader
    .selectFrom('activity_events')
    .select('ref')
    .where('project_id', '=', project.id)
    .where('ref', '=', 'race')
    .execute();
  assert.equal(events.length, 1);
  assert.deepEqual(await server.services.database.reader.selectFrom('ref_intents').selectAll().execute(), []);
});

test('removes a stale lock after the push that it blocked', async () => {
  const { project, owner, server, clock } = await world({ project: {} });
  const copy = await workingCopy();
  const remote = await remoteUrl(owner, project.path_with_namespace);
  assert.ok((await runGit(copy, 'push', remote, 'HEAD:main')).ok);
  const { storage, disk_path } = await server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const heads = join(server.services.git.storages[storage]!, disk_path, 'refs/heads');
  const long = new Date(clock.now().getTime() - 12 * 60_000);
  for (const lock of ['main.lock', 'other.lock']) {
    await writeFile(join(heads, lock), '');
    await utimes(join(heads, lock), long, long);
  }
  await commit(copy, 'second');
  assert.ok(!(await runGit(copy, 'push', remote, 'HEAD:main')).ok);
  assert.deepEqual((await readdir(heads)).sort(), ['main', 'other.lock'], 'checks only the pushed ref');
  const next = await runGit(copy, 'push', remote, 'HEAD:main');
  assert.ok(next.ok, next.said);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Caller, world } from '#test/support/world.ts';

const { root, anonymous, user, tokenOf, newProject } = await world();

// Access to fetch and push, for info/refs and the POST alike (contract/repository.md §5, the table).

const MISSING = "404 The project you were looking for could not be found or you don't have permission to view it.";
const CHALLENGE = '401 Basic realm="Hearth"';
const NO_FETCH = '403 You are not allowed to download code from this project.';
const NO_PUSH = '403 You are not allowed to push code to this project.';

/** A project with members of three roles. */
async function createProjectWithMembers(options: object = {}) {
  const project = await newProject({ readme: true, with: ['developer', 'reporter', 'guest'], ...options });
  return { ...project, path: project.path_with_namespace, stranger: await user() };
}

function basic({ token }: Caller): Record<string, string> {
  return token === null ? {} : { Authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` };
}

/** Returns the response of both requests of an action, which must be equal with and without `.git`. */
async function requestAction(caller: Caller, path: string, action: 'fetch' | 'push'): Promise<string> {
  const service = action === 'fetch' ? 'git-upload-pack' : 'git-receive-pack';
  const headers = basic(caller);
  const requestAt = async (url: string) => [
    await anonymous.send('GET', `${url}/info/refs?service=${service}`, { headers }),
    await anonymous.send('POST', `${url}/${service}`, { headers, raw: '0000' }),
  ];
  const responses = [...(await requestAt(`//${path}.git`)), ...(await requestAt(`//${path}`))];
  const [said, ...others] = responses.map(({ status, headers, text }) => {
    if (status === 200) return '200';
    assert.match(headers['content-type'] ?? '', /^text\/plain/);
    return `${status} ${headers['www-authenticate'] ?? text}`;
  });
  for (const other of others) assert.equal(other, said, `${action} ${path}`);
  return said!;
}

const requestBoth = async (caller: Caller, path: string) => [
  await requestAction(caller, path, 'fetch'),
  await requestAction(caller, path, 'push'),
];

test('checks roles for private and public projects', async () => {
  const hidden = await createProjectWithMembers();
  const open = await createProjectWithMembers({ visibility: 'public' });
  const cases: [
    keyof typeof hidden & ('owner' | 'developer' | 'reporter' | 'guest' | 'stranger'),
    string[],
    string[],
  ][] = [
    ['owner', ['200', '200'], ['200', '200']],
    ['developer', ['200', '200'], ['200', '200']],
    ['reporter', ['200', NO_PUSH], ['200', NO_PUSH]],
    ['guest', [NO_FETCH, NO_PUSH], ['200', NO_PUSH]],
    ['stranger', [MISSING, MISSING], ['200', NO_PUSH]],
  ];
  for (const [who, there, here] of cases) {
    assert.deepEqual(await requestBoth(hidden[who], hidden.path), there, `${who}, private`);
    assert.deepEqual(await requestBoth(open[who], open.path), here, `${who}, public`);
  }
  assert.deepEqual(await requestBoth(root, hidden.path), ['200', '200']);
  assert.deepEqual(await requestBoth(root, 'no/where'), [MISSING, MISSING]);
  assert.deepEqual(await requestBoth(anonymous, hidden.path), [CHALLENGE, CHALLENGE]);
  assert.deepEqual(await requestBoth(anonymous, 'no/where'), [CHALLENGE, CHALLENGE]);
  assert.deepEqual(await requestBoth(anonymous, open.path), ['200', CHALLENGE]);
});

test('checks the scopes of tokens', async () => {
  const { owner, path } = await createProjectWithMembers({ visibility: 'public' });
  const denied = ['403 You are not allowed to download code.', '403 You are not allowed to upload code.'];
  const cases: [string, string[]][] = [
    ['api', ['200', '200']],
    ['write_repository', ['200', '200']],
    ['read_api', ['200', denied[1]!]],
    ['read_repository', ['200', denied[1]!]],
    ['read_user', denied],
  ];
  for (const [scope, answers] of cases)
    assert.deepEqual(await requestBoth(await tokenOf(owner, [scope]), path), answers, scope);
});

test('refuses fetch and push when the repository feature is disabled', async () => {
  const { id, path, owner, guest, stranger } = await createProjectWithMembers({ visibility: 'public' });
  await owner.put(`/projects/${id}`, { repository_access_level: 'private' });
  assert.deepEqual(await requestBoth(anonymous, path), [CHALLENGE, CHALLENGE]);
  assert.deepEqual(await requestBoth(stranger, path), [NO_FETCH, NO_PUSH]);
  assert.deepEqual(await requestBoth(guest, path), ['200', NO_PUSH]);
  await owner.put(`/projects/${id}`, { repository_access_level: 'disabled' });
  assert.deepEqual(await requestBoth(owner, path), [NO_FETCH, NO_PUSH]);
});

test('allows fetch from read-only and archived repositories, but no push', async () => {
  const { id, path, owner, developer, reporter } = await createProjectWithMembers({ visibility: 'public' });
  const readOnly = '403 The repository is temporarily read-only. Please try again later.';
  const archived = "403 You can't push code to an archived project.";
  await root.put(`/projects/${id}`, { repository_read_only: true });
  for (const caller of [root, owner, developer]) assert.deepEqual(await requestBoth(caller, path), ['200', readOnly]);
  assert.deepEqual(await requestBoth(reporter, path), ['200', NO_PUSH]);
  await owner.post(`/projects/${id}/archive`);
  for (const caller of [root, owner, developer]) assert.deepEqual(await requestBoth(caller, path), ['200', archived]);
  assert.deepEqual(await requestBoth(anonymous, path), ['200', CHALLENGE]);
});

test('rejects unknown services', async () => {
  const { path, owner } = await createProjectWithMembers({ visibility: 'public' });
  const ask = (caller: Caller, tail: string) => anonymous.send('GET', `//${path}${tail}`, { headers: basic(caller) });
  for (const tail of ['.git/info/refs', '.git/info/refs?service=git-upload-archive', '.git/info/refs?service=']) {
    assert.equal((await ask(owner, tail)).status, 403, tail);
    const refused = await ask(anonymous, tail);
    assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Basic realm="Hearth"'], tail);
  }
});

test('advertises refs uncached for the requested service and protocol', async () => {
  const { path, owner } = await createProjectWithMembers({ visibility: 'public' });
  const headers = basic(owner);
  for (const service of ['git-upload-pack', 'git-receive-pack']) {
    const answer = await anonymous.send('GET', `//${path}.git/info/refs?service=${service}`, { headers });
    assert.equal(answer.headers['content-type'], `application/x-${service}-advertisement`);
    assert.equal(answer.headers['cache-control'], 'no-cache');
    assert.match(answer.text, new RegExp(`^001[ef]# service=${service}\n0000`));
    const posted = await anonymous.send('POST', `//${path}.git/${service}`, { headers, raw: '0000' });
    assert.equal(posted.headers['content-type'], `application/x-${service}-result`);
    assert.equal(posted.headers['cache-control'], 'no-cache');
  }
  const newer = { 'Git-Protocol': 'version=2' };
  const second = await anonymous.send('GET', `//${path}.git/info/refs?service=git-upload-pack`, { headers: newer });
  assert.match(second.text, /version 2\n/);
  const command = gzipSync('0014command=ls-refs\n00010000');
  for (const encoding of ['gzip', 'x-gzip']) {
    const sending = { raw: command, headers: { ...newer, 'Content-Encoding': encoding } };
    const listed = await anonymous.send('POST', `//${path}.git/git-upload-pack`, sending);
    assert.match(listed.text, /^0032[0-9a-f]{40} HEAD\n003d[0-9a-f]{40} refs\/heads\/main\n0000$/);
  }
});

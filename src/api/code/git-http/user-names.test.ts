import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// HTTP Basic of git and LFS clients: the password decides, whatever the user name is (contract/repository.md §5).

const here = await world();
const { root, anonymous, newProject, newGroup } = here;

const USER_NAMES = ['gitlab-ci-token', 'oauth2', 'x-access-token', 'nobody@at.all', 'git', ''];

let project: Project;
before(async () => {
  const group = await newGroup();
  project = await newProject({ in: group, owner: group.owner, readme: true });
});

/** Returns the statuses of a fetch, a push and an LFS batch. */
async function requestAll(username: string, password: string): Promise<number[]> {
  const headers = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  const url = `//${project.path_with_namespace}.git/info`;
  const batch = JSON.stringify({ operation: 'download', objects: [] });
  const answers = [
    await anonymous.send('GET', `${url}/refs?service=git-upload-pack`, { headers }),
    await anonymous.send('GET', `${url}/refs?service=git-receive-pack`, { headers }),
    await anonymous.send('POST', `${url}/lfs/objects/batch`, {
      headers: { ...headers, 'Content-Type': 'application/vnd.git-lfs+json' },
      raw: batch,
    }),
  ];
  return answers.map(({ status }) => status);
}

async function createTokens(): Promise<Record<string, string>> {
  const { owner, at, namespace } = project;
  const input = { name: 'bot', scopes: ['api'], access_level: 40, expires_at: '2026-12-31' };
  const create = async (path: string) => (await expectSuccess(root.post(path, input))).body.token;
  const member = await userWithPassword(here);
  await expectSuccess(owner.post(`${at}/members`, { user_id: member.id, access_level: 40 }));
  const grant = { grant_type: 'password', username: member.username, password: PASSWORD };
  return {
    personal: owner.token!,
    impersonation: await create(`/users/${owner.id}/impersonation_tokens`),
    project: await create(`${at}/access_tokens`),
    group: await create(`/groups/${namespace.id}/access_tokens`),
    oauth: (await expectSuccess(anonymous.post('//oauth/token', grant))).body.access_token,
  };
}

test('accepts any user name with a token of any kind', async () => {
  for (const [kind, token] of Object.entries(await createTokens())) {
    for (const username of USER_NAMES)
      assert.deepEqual(await requestAll(username, token), [200, 200, 200], `${kind} token of ${username}`);
  }
});

test('accepts the token of a running job under the user name of jobs only, to fetch', async () => {
  const { token } = await runningJob(here, project);
  for (const username of USER_NAMES) {
    const expected = username === 'gitlab-ci-token' ? [200, 403, 200] : [401, 401, 401];
    assert.deepEqual(await requestAll(username, token), expected, username);
  }
});

test('rejects a wrong token under every user name', async () => {
  for (const username of USER_NAMES) assert.deepEqual(await requestAll(username, 'glpat-wrong'), [401, 401, 401]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// Job tokens are valid only on routes that accept them (contract/conventions.md §7 "Job tokens").

const here = await world();
const { anonymous } = here;

const HEADER = { 'JOB-TOKEN': 'glcbt-64_nobody-has-this-one' };
const UNAUTHORIZED = { message: '401 Unauthorized' };

async function publicProject() {
  const { owner, at, repository } = await here.newProject({ visibility: 'public', readme: true });
  const taking = [`${repository}/branches`, `${repository}/files/README.md/raw`];
  return { owner, at, taking };
}

test('rejects an invalid job token on public and private routes that accept job tokens', async () => {
  const { taking } = await publicProject();
  for (const path of taking) {
    for (const answer of [
      await anonymous.get(path, {}, HEADER),
      await anonymous.get(path, { job_token: 'glcbt-x' }),
      await anonymous.send('HEAD', path, { headers: HEADER }),
    ]) {
      assert.equal(answer.status, 401, path);
      if (answer.text !== '') assert.deepEqual(answer.body, UNAUTHORIZED);
    }
    assert.equal((await anonymous.get(path, { job_token: '' })).status, 200, 'an empty one counts as not given');
  }
});

test('ignores a job token on other routes', async () => {
  const { at } = await publicProject();
  for (const path of [at, `${at}/repository/branches/main`, `${at}/repository/files/README.md?ref=main`, '/projects']) {
    assert.equal((await anonymous.get(path, {}, HEADER)).status, 200, path);
  }
  assert.equal((await anonymous.get('/user', {}, HEADER)).status, 401);
});

test('a job token is used after other tokens and before the cookie', async () => {
  const { owner, taking } = await publicProject();
  for (const path of taking) {
    assert.equal((await owner.get(path, {}, HEADER)).status, 200, path);
    const bearer = { ...HEADER, Authorization: `Bearer ${owner.token}` };
    assert.equal((await anonymous.get(path, {}, bearer)).status, 200, path);
    const visit = await signedInBrowser(here, await userWithPassword(here));
    assert.equal((await visit.get(path, HEADER)).status, 401, path);
  }
});

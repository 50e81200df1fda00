import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// The profile that users change in the browser (contract/web.md §3).

const here = await world();
const { anonymous, root, name } = here;

const put = (visit: Browser, params: Record<string, unknown>, path = '/user') =>
  visit.send('PUT', path, { params, headers: { 'X-CSRF-Token': visit.csrfToken() } });

test('changes the sent attributes of the caller, and returns the user', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  const profile = {
    name: 'Mira Holm',
    bio: 'Builds stoves',
    location: 'Oslo',
    pronouns: 'she/her',
    website_url: 'https://mira.test',
    job_title: 'Smith',
    organization: 'Hearth works',
    private_profile: true,
    preferred_language: 'nb_NO',
  };
  const { status, body } = await put(visit, profile);
  assert.equal(status, 200);
  assert.deepEqual(Object.fromEntries(Object.keys(profile).map((key) => [key, body[key]])), profile);
  assert.deepEqual((await visit.get('/user')).body, body);
  const cleared = await put(visit, { bio: null, pronouns: '' });
  assert.deepEqual([cleared.body.bio, cleared.body.pronouns, cleared.body.location], ['', null, 'Oslo']);
});

test('a new username moves the projects of the caller', async () => {
  const mira = await userWithPassword(here);
  const project = await here.newProject({ owner: mira });
  const visit = await signedInBrowser(here, mira);
  const username = name('renamed');
  assert.equal((await put(visit, { username })).body.username, username);
  assert.match((await mira.get(project.at)).body.path_with_namespace, new RegExp(`^${username}/`));
});

test('rejects invalid values as for administrators', async () => {
  const [mira, tom] = [await userWithPassword(here), await userWithPassword(here)];
  const visit = await signedInBrowser(here, mira);
  for (const [params, status, body] of [
    [{ username: tom.username }, 409, { message: 'Username has already been taken' }],
    [{ name: '' }, 400, { message: { name: ["can't be blank"] } }],
    [{ bio: 'x'.repeat(256) }, 400, { message: { bio: ['is too long (maximum is 255 characters)'] } }],
    [{ preferred_language: 'xx' }, 400, { error: 'preferred_language does not have a valid value' }],
  ] as const) {
    const answer = await put(visit, params);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
});

test('shows and uses only confirmed addresses of the caller', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const [confirmed, unconfirmed] = [`${name('own')}@mail.test`, `${name('new')}@mail.test`];
  await root.post(`/users/${mira.id}/emails`, { email: confirmed, skip_confirmation: true });
  await root.post(`/users/${mira.id}/emails`, { email: unconfirmed });
  for (const field of ['public_email', 'commit_email']) {
    for (const address of [unconfirmed, 'somebody@mail.test']) {
      const answer = await put(visit, { [field]: address });
      assert.deepEqual([answer.status, answer.body], [400, { message: { [field]: ['is not an email you own'] } }]);
    }
    assert.equal((await put(visit, { [field]: confirmed.toUpperCase() })).body[field], confirmed);
  }
  assert.equal((await put(visit, { public_email: '' })).body.public_email, null);
});

test('ignores what only administrators change', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const { status, body } = await put(visit, {
    admin: true,
    projects_limit: 1,
    email: 'x@y.test',
    can_create_group: false,
  });
  assert.equal(status, 200);
  assert.deepEqual([body.is_admin, body.email], [undefined, `${mira.username}@hearth.test`]);
  assert.equal((await root.get(`/users/${mira.id}`)).body.is_admin, false);
});

test('accepts only the cookie, with the CSRF token', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  for (const path of ['/user', '/user/password']) {
    const byToken = await mira.put(path, { bio: 'x' });
    assert.deepEqual([byToken.status, byToken.body], [403, { message: '403 Forbidden' }]);
    assert.equal((await anonymous.put(path, { bio: 'x' })).status, 401);
    assert.equal((await visit.send('PUT', path, { params: { bio: 'x' } })).status, 401);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The pages of groups and users.

const scene = await world({ group: { visibility: 'private', with: ['guest', 'developer'] } });
const { group, owner, developer, guest, root, user } = scene;
const stranger = await user();

/** Returns the text of the page that a caller sees. */
const readText = async (caller: Caller | null, address: string): Promise<string> =>
  (await renderPage(scene, caller, address)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const create = async (path: string, body: object) => (await expectSuccess(owner.post(path, { ...body }))).body;
const description = 'Iron and <b>fire</b>';
await expectSuccess(owner.put(group.at, { description }));
const subgroup = await create('/groups', { name: 'Ovens', path: 'ovens', parent_id: group.id });
const project = await create('/projects', { name: 'Grate', namespace_id: group.id });
const inner = await create('/projects', { name: 'Door', namespace_id: subgroup.id });

test('a group shows its description, subgroups and projects to those who can see it', async () => {
  for (const caller of [root, owner, developer, guest]) {
    const html = await renderPage(scene, caller, `/groups/${group.full_path}`);
    assert.match(html, /Iron and &lt;b>fire/);
    assert.match(html, new RegExp(`href="/groups/${subgroup.full_path}">Ovens</a>`));
    assert.match(html, new RegExp(`href="/${project.path_with_namespace}"`));
    assert.doesNotMatch(html, new RegExp(`href="/${inner.path_with_namespace}"`));
  }
});

test('a search in a group finds its subgroups and projects by name', async () => {
  const search = (text: string) => renderPage(scene, guest, `/groups/${group.full_path}?search=${text}`);
  const [ovens, grate] = [
    new RegExp(`href="/groups/${subgroup.full_path}">`),
    new RegExp(`href="/${project.path_with_namespace}"`),
  ];
  const [bySubgroup, byProject] = [await search('ovens'), await search('grate')];
  assert.match(bySubgroup, ovens);
  assert.doesNotMatch(bySubgroup, grate);
  assert.match(byProject, grate);
  assert.doesNotMatch(byProject, ovens);
});

test('a private group looks like a missing one to strangers', async () => {
  for (const caller of [stranger, null])
    assert.match(
      await readText(caller, `/groups/${group.full_path}`),
      /This page does not exist, or you cannot see it/,
    );
});

test('a subgroup leads to the groups above it, and a project to its group', async () => {
  const html = await renderPage(scene, guest, `/groups/${subgroup.full_path}`);
  assert.match(html, new RegExp(`href="/groups/${group.full_path}">`));
  const page = await renderPage(scene, guest, `/${inner.path_with_namespace}`);
  assert.match(page, new RegExp(`href="[^"]*/groups/${subgroup.full_path}">[^<]*Ovens</a>`));
});

test('the form for a group asks visitors to sign in, and names the parent of a subgroup', async () => {
  assert.match(await readText(null, '/-/groups/new'), /Sign in to see this page/);
  assert.match(await readText(owner, '/-/groups/new'), /New group .*Path .*Create group/);
  assert.match(await readText(owner, `/-/groups/new?parent_id=${group.id}`), /New subgroup of /);
});

test('shows users who may not create groups an explanation', async () => {
  const limited = await user();
  await expectSuccess(root.put(`/users/${limited.id}`, { can_create_group: false }));
  assert.match(await readText(limited, '/-/groups/new'), /You may not create groups at the top level/);
});

test('a user has a profile, personal projects and events', async () => {
  const mira = await user();
  await expectSuccess(
    root.put(`/users/${mira.id}`, { bio: 'Builds stoves', website_url: 'https://stoves.example', location: 'Oslo' }),
  );
  const kiln = await expectSuccess(mira.post('/projects', { name: 'Kiln', visibility: 'public' }));
  await expectSuccess(mira.post(`/projects/${kiln.body.id}/issues`, { title: 'Too hot' }));
  const text = await readText(stranger, `/${mira.username}`);
  assert.match(text, /Builds stoves .*Oslo .*https:\/\/stoves\.example/);
  assert.match(text, /Personal projects .*Kiln .*Activity .*opened issue Too hot/);
  assert.match(text, /\d+ events on 1 day of the last year/);
  // Visitors see no profile.
  const publicText = await readText(null, `/${mira.username}`);
  assert.match(publicText, /Personal projects .*Kiln/);
  assert.doesNotMatch(publicText, /Builds stoves/);
});

test('a website that is no web address is no link', async () => {
  const mira = await user();
  const { status } = await root.put(`/users/${mira.id}`, { website_url: 'javascript:alert(1)' });
  assert.ok(status === 200 || status === 400);
  assert.doesNotMatch(await renderPage(scene, stranger, `/${mira.username}`), /href="javascript/);
});

test('events of projects that the visitor cannot see are absent', async () => {
  const mira = await user();
  const { body: secret } = await expectSuccess(mira.post('/projects', { name: 'Secret kiln', visibility: 'private' }));
  await expectSuccess(mira.post(`/projects/${secret.id}/issues`, { title: 'Hidden' }));
  assert.match(await readText(mira, `/${mira.username}`), /Hidden/);
  assert.doesNotMatch(await readText(stranger, `/${mira.username}`), /Hidden|ecret/);
});

test('no page has the address of a missing user', async () => {
  assert.match(await readText(owner, '/nobody-has-this-name'), /This page does not exist/);
});

test('a group offers new projects and subgroups to the roles that may create them', async () => {
  const address = `/groups/${group.full_path}`;
  const limited = await create('/groups', {
    name: 'Limited',
    path: scene.name('limited'),
    project_creation_level: 'noone',
    visibility: 'internal',
  });
  const offers = async (caller: Caller | null, at: string) =>
    [...(await readText(caller, at)).matchAll(/New (project|subgroup)/g)].map(([, kind]) => kind);
  assert.deepEqual(await offers(owner, address), ['project', 'subgroup']);
  assert.deepEqual(await offers(developer, address), ['project']);
  assert.deepEqual(await offers(guest, address), []);
  assert.deepEqual(await offers(owner, `/groups/${limited.full_path}`), ['subgroup']);
  assert.deepEqual(await offers(stranger, `/groups/${limited.full_path}`), []);
});

test('the form for a project has the personal namespace, or the group in the address', async () => {
  assert.match(await readText(developer, '/projects/new'), new RegExp(`Group or user: ${developer.username}`));
  const html = await renderPage(scene, developer, `/projects/new?namespace_id=${group.id}`);
  assert.match(html, new RegExp(`name="namespace_id" value="${group.id}"`));
  assert.match(html, new RegExp(`Group or user: ${group.full_path}`));
  assert.match(await readText(null, '/projects/new'), /Sign in to see this page/);
});

test('maintainers see the settings of a project, and owners what else they may', async () => {
  const address = `/${project.path_with_namespace}/-/settings`;
  const maintainer = await user();
  await create(`/projects/${project.id}/members`, { user_id: maintainer.id, access_level: 40 });
  const text = await readText(maintainer, address);
  assert.match(text, /General .*Name .*Features .*Issues/);
  assert.doesNotMatch(text, /Visibility|Archive|Delete/);
  assert.match(await readText(owner, address), /Visibility .*Archive the project .*Delete project/);
  assert.match(await readText(developer, address), /You may not change the settings/);
  assert.match(await readText(null, address), /This page does not exist|Sign in to see this page/);
  assert.match(await renderPage(scene, owner, address), /<option value="private" selected>Private/);
});

test('a project that is marked for deletion is restored on its page', async () => {
  const doomed = await create('/projects', { name: scene.name('doomed') });
  await expectSuccess(owner.delete(`/projects/${doomed.id}`));
  const { body } = await expectSuccess(owner.get(`/projects/${doomed.id}`));
  assert.match(await readText(owner, `/${body.path_with_namespace}/-/settings`), /Restore the project/);
});

test('owners see the settings of a group', async () => {
  const address = `/groups/${group.full_path}/-/edit`;
  assert.match(await readText(owner, address), /General .*Description .*Delete group/);
  assert.match(await readText(developer, address), /You may not change the settings/);
  assert.match(await readText(null, address), /This page does not exist|Sign in to see this page/);
  assert.doesNotMatch(await readText(developer, `/groups/${group.full_path}`), /Settings/);
});

test('each tab of a group and of a project is listed once', async () => {
  for (const address of [`/groups/${group.full_path}`, `/${project.path_with_namespace}`]) {
    const html = await renderPage(scene, owner, address);
    const [, tabs = ''] = /<ul class="tabs">(.*?)<\/ul>/.exec(html) ?? [];
    const labels = [...tabs.matchAll(/>([^<]+)<\/a>/g)].map(([, label]) => label);
    assert.ok(labels.length > 3 && labels.includes('Settings'), address);
    assert.deepEqual(labels, [...new Set(labels)]);
  }
});

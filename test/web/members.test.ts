import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The pages of the members of groups and projects.

const scene = await world({ group: { visibility: 'private', with: ['guest', 'maintainer'] } });
const { group, owner, maintainer, guest, user } = scene;
const stranger = await user();
const project = await scene.newProject({ in: group });
const helper = await user();
await expectSuccess(
  owner.post(`${project.at}/members`, { user_id: helper.id, access_level: 20, expires_at: '2099-03-01' }),
);
const PROJECT = `/${project.path_with_namespace}/-/project_members`;
const GROUP = `/groups/${group.full_path}/-/group_members`;

/** Returns the text of the page that a caller sees. */
const readText = async (caller: Caller | null, address: string): Promise<string> =>
  (await renderPage(scene, caller, address)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('the members of a project are listed with role and expiry, and apart from them those of its groups', async () => {
  const text = await readText(guest, PROJECT);
  const [direct = '', inherited = ''] = text.split('Members of the groups above');
  assert.match(direct, new RegExp(`@${helper.username} Reporter until 2099-03-01`));
  assert.doesNotMatch(direct, new RegExp(`@${guest.username}\\b`));
  assert.match(inherited, new RegExp(`@${guest.username} Guest`));
  assert.match(inherited, new RegExp(`@${maintainer.username} Maintainer`));
  assert.doesNotMatch(inherited, new RegExp(`@${helper.username}\\b`));
});

test('maintainers manage the members of a project, and owners those of a group', async () => {
  assert.match(await readText(maintainer, PROJECT), /Add a member .*Change Name of user.* Remove Name of user/);
  assert.match(await readText(owner, GROUP), /Add a member .*Change .*Leave/);
  assert.doesNotMatch(await readText(maintainer, GROUP), /Add a member|Change|Remove/);
  assert.doesNotMatch(await readText(guest, PROJECT), /Add a member|Change|Remove|Leave/);
});

test('members may leave', async () => {
  assert.match(await readText(helper, PROJECT), /Leave/);
  assert.match(await readText(guest, GROUP), /Leave/);
});

test('members are searched', async () => {
  assert.match(await readText(owner, `${PROJECT}?search=nothing-like-this`), /No direct members have this name/);
  assert.match(await readText(owner, `${PROJECT}?search=${helper.username}`), new RegExp(`@${helper.username}`));
});

test('strangers see no members', async () => {
  for (const address of [PROJECT, GROUP]) {
    assert.match(await readText(stranger, address), /This page does not exist/);
    assert.match(await readText(null, address), /This page does not exist|Sign in to see this page/);
  }
});

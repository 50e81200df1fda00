import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const { group, owner, guest, anonymous, user, newProject, name } = await world({
  group: { visibility: 'private', with: ['guest'] },
});

const newLabel = async ({ at }: { readonly at: string }, title = name('label')) =>
  (await expectSuccess(owner.post(`${at}/labels`, { name: title, color: 'red' }))).body as { id: number; name: string };

/** Returns `subscribed` of the label as this caller sees it in the project or group. */
const isSubscribed = async (by: Caller, { at }: { readonly at: string }, { id }: { readonly id: number }) =>
  (await by.get(`${at}/labels`)).body.find((label: { id: number }) => label.id === id).subscribed;

test('subscribes in one project, or everywhere through a group', async () => {
  const [one, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const label = await newLabel(group);
  const at = `${one.at}/labels/${label.name}`;
  const { status, body } = await guest.post(`${at}/subscribe`);
  assert.deepEqual([status, body.id, body.subscribed, body.is_project_label], [201, label.id, true, false]);
  const again = await guest.post(`${at}/subscribe`);
  assert.deepEqual([again.status, again.text], [304, '']);
  const everywhere = async (by: Caller) => [
    await isSubscribed(by, one, label),
    await isSubscribed(by, other, label),
    await isSubscribed(by, group, label),
  ];
  assert.deepEqual(
    [await everywhere(guest), await everywhere(owner)],
    [
      [true, false, false],
      [false, false, false],
    ],
  );
  await expectSuccess(guest.post(`${group.at}/labels/${label.id}/subscribe`));
  assert.deepEqual(await everywhere(guest), [true, true, true]);
  assert.equal((await guest.get(`${other.at}/labels/${label.id}`)).body.subscribed, true);
});

test('unsubscribes, and returns 304 if not subscribed', async () => {
  const project = await newProject({ in: group });
  const label = await newLabel(project);
  const at = `${project.at}/labels/${label.id}`;
  assert.equal((await guest.post(`${at}/unsubscribe`)).status, 304);
  await expectSuccess(guest.post(`${at}/subscribe`));
  const { status, body } = await guest.post(`${at}/unsubscribe`);
  assert.deepEqual([status, body.subscribed], [201, false]);
  const above = await newLabel(group);
  await expectSuccess(guest.post(`${group.at}/labels/${above.id}/subscribe`));
  await expectSuccess(guest.post(`${project.at}/labels/${above.id}/unsubscribe`));
  assert.equal(await isSubscribed(guest, group, above), false);
});

test('returns 404 for a label that is missing or not visible', async () => {
  const project = await newProject({ in: group });
  const label = await newLabel(project);
  for (const verb of ['subscribe', 'unsubscribe']) {
    const missing = await guest.post(`${project.at}/labels/nothing/${verb}`);
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Label Not Found' }]);
    const stranger = await (await user()).post(`${project.at}/labels/${label.id}/${verb}`);
    assert.deepEqual(stranger.body, { message: '404 Project Not Found' });
    assert.equal((await anonymous.post(`${project.at}/labels/${label.id}/${verb}`)).status, 401);
  }
});

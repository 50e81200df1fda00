import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { zeroId } from '#git/refs/refs.ts';
import { type Project, world } from '#test/support/world.ts';

// Pushes that no git would make, said by hand.

const { newProject, anonymous, withToken } = await world();
const bare = withToken(anonymous, null);

const ABSENT = '1'.repeat(40);
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** A pack without anything. */
function emptyPack(): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  return Buffer.concat([head, createHash('sha1').update(head).digest()]);
}

type Command = readonly [from: string, to: string, ref: string];

async function push({ owner, path_with_namespace: path }: Project, commands: readonly Command[]) {
  const text = commands.map((each, at) => line(`${each.join(' ')}${at === 0 ? '\0 report-status side-band-64k' : ''}`));
  const brings = commands.some(([, to]) => to !== zeroId);
  const raw = Buffer.concat([Buffer.from(`${text.join('')}0000`), ...(brings ? [emptyPack()] : [])]);
  const headers = { Authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}` };
  return (await bare.send('POST', `//${path}.git/git-receive-pack`, { raw, headers })).text;
}

test('a push that names objects which nobody has is told so', async () => {
  const project = await newProject();
  const tip = await project.commit({ a: 'a' });
  await project.owner.post(`${project.at}/protected_branches`, { name: 'held' });
  await project.owner.post(`${project.repository}/branches`, { branch: 'held', ref: 'main' });
  assert.match(await push(project, [[zeroId, ABSENT, 'refs/heads/new']]), /The push names objects that are not here/);
  assert.match(await push(project, [[ABSENT, tip, 'refs/heads/held']]), /The push names objects that are not here/);
  const { body } = await project.owner.get(`${project.repository}/branches`);
  assert.deepEqual(body.map(({ name }: { name: string }) => name).sort(), ['held', 'main']);
});

test('a push changes as many refs as are looked through in a moment, and deletes as many as git does', async () => {
  const project = await newProject();
  const tip = await project.commit({ a: 'a' });
  const made = Array.from({ length: 20_001 }, (_, at) => [zeroId, tip, `refs/heads/${at}`] as const);
  assert.match(await push(project, made), /A push may change at most 20000 refs/);
  const gone = Array.from({ length: 2_001 }, (_, at) => [tip, zeroId, `refs/heads/${at}`] as const);
  assert.match(await push(project, gone), /A push may delete at most 2000 refs/);
  const { body } = await project.owner.get(`${project.repository}/branches`);
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['main'],
  );
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ZERO_ID } from '#git/refs/refs.ts';
import { type Project, world } from '#test/support/world.ts';

// Handwritten pushes that git would not send.

const { newProject, anonymous, withToken } = await world();
const callerWithoutToken = withToken(anonymous, null);

const ABSENT = '1'.repeat(40);
const pktLine = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** An empty pack. */
function emptyPack(): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  return Buffer.concat([head, createHash('sha1').update(head).digest()]);
}

type Command = readonly [from: string, to: string, ref: string];

async function push({ owner, path_with_namespace: path }: Project, commands: readonly Command[]) {
  const text = commands.map((each, at) =>
    pktLine(`${each.join(' ')}${at === 0 ? '\0 report-status side-band-64k' : ''}`),
  );
  const brings = commands.some(([, to]) => to !== ZERO_ID);
  const raw = Buffer.concat([Buffer.from(`${text.join('')}0000`), ...(brings ? [emptyPack()] : [])]);
  const headers = { Authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}` };
  return (await callerWithoutToken.send('POST', `//${path}.git/git-receive-pack`, { raw, headers })).text;
}

test('reports objects that are missing from a push', async () => {
  const project = await newProject();
  const tip = await project.commit({ a: 'a' });
  await project.owner.post(`${project.at}/protected_branches`, { name: 'held' });
  await project.owner.post(`${project.repository}/branches`, { branch: 'held', ref: 'main' });
  assert.match(
    await push(project, [[ZERO_ID, ABSENT, 'refs/heads/new']]),
    /ng refs\/heads\/new missing necessary objects/,
  );
  assert.match(await push(project, [[ABSENT, tip, 'refs/heads/held']]), /The push names objects that are not here/);
  const { body } = await project.owner.get(`${project.repository}/branches`);
  assert.deepEqual(body.map(({ name }: { name: string }) => name).sort(), ['held', 'main']);
});

test('limits the number of changed and deleted refs in one push', async () => {
  const project = await newProject();
  const tip = await project.commit({ a: 'a' });
  const creations = Array.from({ length: 20_001 }, (_, at) => [ZERO_ID, tip, `refs/heads/${at}`] as const);
  assert.match(await push(project, creations), /A push may change at most 20000 refs/);
  const deletions = Array.from({ length: 2_001 }, (_, at) => [tip, ZERO_ID, `refs/heads/${at}`] as const);
  assert.match(await push(project, deletions), /A push may delete at most 2000 refs/);
  const { body } = await project.owner.get(`${project.repository}/branches`);
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['main'],
  );
});

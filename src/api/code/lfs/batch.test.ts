import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';
import { answerBatch } from './batch.ts';
import { bare, batch, get, newContent, put, wanted } from './client.testing.ts';

const everybody = await world();
const { newProject } = everybody;

test('an object goes up and comes down where the batch says', async () => {
  const project = await newProject();
  const { owner } = project;
  const content = newContent();
  const up = await batch(owner, project, 'upload', [wanted(content)]);
  assert.equal(up.status, 200);
  assert.equal(up.headers['content-type'], 'application/vnd.git-lfs+json');
  const [entry] = JSON.parse(up.text).objects;
  const { href, header } = entry.actions.upload;
  assert.match(
    href,
    new RegExp(`^http://[^/]+/${project.path_with_namespace}\\.git/gitlab-lfs/objects/${content.oid}/${content.size}$`),
  );
  assert.equal(header.Authorization, basic(owner).Authorization);
  assert.equal((await put(owner, project, content)).status, 200);
  const again = JSON.parse((await batch(owner, project, 'upload', [wanted(content)])).text);
  assert.deepEqual(again.objects, [wanted(content)], 'nothing to do for what is there');
  const down = JSON.parse((await batch(owner, project, 'download', [wanted(content)])).text);
  assert.match(down.objects[0].actions.download.href, new RegExp(`/gitlab-lfs/objects/${content.oid}$`));
  const got = await get(owner, project, content.oid);
  assert.equal(got.status, 200);
  assert.equal(got.headers['content-type'], 'application/octet-stream');
  assert.deepEqual(got.bytes, content.bytes);
});

test('what is not there is an error of its own entry, and 404 by itself', async () => {
  const project = await newProject();
  const content = newContent();
  const { objects } = JSON.parse((await batch(project.owner, project, 'download', [wanted(content)])).text);
  assert.deepEqual(objects, [{ ...wanted(content), error: { code: 404, message: 'Object does not exist' } }]);
  const got = await get(project.owner, project, content.oid);
  assert.deepEqual([got.status, got.headers['content-type']], [404, 'text/plain']);
});

test('what is no batch is 422', async () => {
  const { owner, path_with_namespace: path } = await newProject();
  const ask = (raw: string) =>
    bare.send('POST', `//${path}.git/info/lfs/objects/batch`, { raw, headers: basic(owner) });
  const oid = 'a'.repeat(64);
  for (const raw of [
    '',
    '{',
    '[]',
    '{"operation":"delete","objects":[]}',
    '{"operation":"download"}',
    `{"operation":"download","objects":[{"oid":"../../x","size":1}]}`,
    `{"operation":"download","objects":[{"oid":"${oid}","size":-1}]}`,
    `{"operation":"download","objects":[{"oid":"${oid}","size":1e300}]}`,
  ]) {
    assert.equal((await ask(raw)).status, 422, raw);
  }
});

test('a batch asks the database once for hundreds of objects', async () => {
  const project = await newProject();
  const content = newContent();
  await put(project.owner, project, content);
  const objects = Array.from({ length: 1200 }, (_, at) => ({ oid: at.toString(16).padStart(64, '0'), size: at }));
  const asked = { operation: 'download' as const, objects: [...objects, wanted(content)] };
  const transfer = { repositoryUrl: 'https://h.example/a.git', authorization: undefined };
  const db = everybody.server.services.database.reader;
  // Asked of this server itself: a request may be another's.
  const count = await statements(everybody, async () => {
    const answers = [...(await answerBatch(db, project.id, asked, transfer))];
    assert.deepEqual([answers.length, answers.filter((answer) => !('error' in answer)).length], [1201, 1]);
  });
  assert.equal(count, 3);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';
import { createBatchEntries } from './batch.ts';
import {
  callerWithoutToken,
  createContent,
  downloadObject,
  requestBatch,
  toReference,
  uploadObject,
} from './client.testing.ts';

const everybody = await world();
const { newProject } = everybody;

test('uploads and downloads an object at the URLs of the batch response', async () => {
  const project = await newProject();
  const { owner } = project;
  const content = createContent();
  const up = await requestBatch(owner, project, 'upload', [toReference(content)]);
  assert.equal(up.status, 200);
  assert.equal(up.headers['content-type'], 'application/vnd.git-lfs+json');
  const [entry] = JSON.parse(up.text).objects;
  const { href, header } = entry.actions.upload;
  assert.match(
    href,
    new RegExp(`^http://[^/]+/${project.path_with_namespace}\\.git/gitlab-lfs/objects/${content.oid}/${content.size}$`),
  );
  assert.equal(header.Authorization, basic(owner).Authorization);
  assert.equal((await uploadObject(owner, project, content)).status, 200);
  const again = JSON.parse((await requestBatch(owner, project, 'upload', [toReference(content)])).text);
  assert.deepEqual(again.objects, [toReference(content)], 'an existing object has no actions');
  const down = JSON.parse((await requestBatch(owner, project, 'download', [toReference(content)])).text);
  assert.match(down.objects[0].actions.download.href, new RegExp(`/gitlab-lfs/objects/${content.oid}$`));
  const got = await downloadObject(owner, project, content.oid);
  assert.equal(got.status, 200);
  assert.equal(got.headers['content-type'], 'application/octet-stream');
  assert.deepEqual(got.bytes, content.bytes);
});

test('reports a missing object in its entry, and 404 for its URL', async () => {
  const project = await newProject();
  const content = createContent();
  const { objects } = JSON.parse((await requestBatch(project.owner, project, 'download', [toReference(content)])).text);
  assert.deepEqual(objects, [{ ...toReference(content), error: { code: 404, message: 'Object does not exist' } }]);
  const got = await downloadObject(project.owner, project, content.oid);
  assert.deepEqual([got.status, got.headers['content-type']], [404, 'text/plain']);
});

test('returns 422 for an invalid batch', async () => {
  const { owner, path_with_namespace: path } = await newProject();
  const ask = (raw: string) =>
    callerWithoutToken.send('POST', `//${path}.git/info/lfs/objects/batch`, { raw, headers: basic(owner) });
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

test('runs one query for hundreds of objects', async () => {
  const project = await newProject();
  const content = createContent();
  await uploadObject(project.owner, project, content);
  const objects = Array.from({ length: 1200 }, (_, at) => ({ oid: at.toString(16).padStart(64, '0'), size: at }));
  const request = { operation: 'download' as const, objects: [...objects, toReference(content)] };
  const transfer = { repositoryUrl: 'https://h.example/a.git', authorization: undefined };
  const db = everybody.server.services.database.reader;
  // Counted on this server only: queries of other requests must not interfere.
  const count = await statements(everybody, async () => {
    const answers = [...(await createBatchEntries(db, project.id, request, transfer))];
    assert.deepEqual([answers.length, answers.filter((answer) => !('error' in answer)).length], [1201, 1]);
  });
  assert.equal(count, 3);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';
import { MULTIPART, sendArtifact } from './upload.testing.ts';

// What jobs leave behind, as runners send it (contract/runners.md §3.6).

const FORM = 'application/x-www-form-urlencoded';

const here = await world({ project: {} });
const { anonymous, project, root, clock, server } = here;
const { reader } = server.services.database;

const artifactsOf = ({ id }: { readonly id: number }) =>
  reader
    .selectFrom('job_artifacts')
    .select(['file_type', 'file_format', 'filename', 'size', 'expire_at'])
    .where('job_id', '=', id)
    .orderBy('id')
    .execute();
const expiryOf = async (id: number) =>
  (await reader.selectFrom('jobs').select('artifacts_expire_at').where('id', '=', id).executeTakeFirstOrThrow())
    .artifacts_expire_at;
const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();

test('a file is kept under the name that it came with', async () => {
  const job = await runningJob(here, project);
  const fields = { artifact_type: 'archive', artifact_format: 'zip', expire_in: '3 days' };
  const answer = await sendArtifact(anonymous, job, { content: 'PK zip', filename: '../../out/a b.zip', fields });
  assert.equal(answer.status, 201);
  const kept = { file_type: 'archive', file_format: 'zip', filename: 'a b.zip', size: 6, expire_at: inDays(3) };
  assert.deepEqual(
    (await artifactsOf(job)).map((row) => ({ ...row })),
    [kept],
  );
  assert.equal(await expiryOf(job.id), inDays(3));
});

test('the query and the body say what it is, and when it goes', async () => {
  for (const [wish, expected] of [
    [{ query: '?expire_in=1%20week' }, inDays(7)],
    [{ fields: { expire_in: 'never' } }, null],
    [{ fields: { expire_in: '99999 years' } }, '9999-12-31T23:59:59.999Z'],
    [{}, inDays(30)],
    [{ query: '?expire_in=never', fields: { expire_in: '1 day' } }, inDays(1)],
  ] as const) {
    const job = await runningJob(here, project);
    assert.equal((await sendArtifact(anonymous, job, wish)).status, 201);
    assert.equal(await expiryOf(job.id), expected, JSON.stringify(wish));
  }
});

test('the token may stand in a field in front of the file', async () => {
  const job = await runningJob(here, project);
  const bare = { id: job.id, headers: {} };
  assert.equal((await sendArtifact(anonymous, bare, { fields: { token: job.token } })).status, 201);
  const refused = await sendArtifact(anonymous, bare, { fields: { token: 'glcbt-wrong' } });
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  const none = await sendArtifact(anonymous, bare);
  assert.deepEqual([none.status, none.body], [403, { message: '403 Forbidden' }]);
});

test('the token may stand in a body that brings no file, which then says what is missing', async () => {
  const { id, token } = await runningJob(here, project);
  for (const [said, status, body] of [
    [{ token }, 400, { error: 'file is missing' }],
    [{ token, file: 'text' }, 400, { error: 'file is invalid' }],
    [{ token: 'glcbt-wrong' }, 403, { message: '403 Forbidden' }],
  ] as const) {
    const form = { raw: String(new URLSearchParams(said)), headers: { 'Content-Type': FORM } };
    for (const sending of [{ params: said }, form]) {
      const answer = await anonymous.send('POST', `/jobs/${id}/artifacts`, sending);
      assert.deepEqual([answer.status, answer.body], [status, body]);
    }
  }
});

test('the same file once more is no matter, another one of its kind is refused', async () => {
  const job = await runningJob(here, project);
  for (const [content, status] of [
    ['one', 201],
    ['one', 201],
    ['two', 400],
  ] as const) {
    const answer = await sendArtifact(anonymous, job, { content });
    assert.equal(answer.status, status);
    if (status === 400) assert.deepEqual(answer.body, { message: 'another artifact of the same type already exists' });
  }
  const junit = { fields: { artifact_type: 'junit', artifact_format: 'gzip' }, content: 'two' };
  assert.equal((await sendArtifact(anonymous, job, junit)).status, 201);
  assert.deepEqual(
    (await artifactsOf(job)).map(({ size, file_type }) => [file_type, size]),
    [
      ['archive', 3],
      ['junit', 3],
    ],
  );
});

test('of several that come at once one is kept', async () => {
  const job = await runningJob(here, project);
  const answers = await Promise.all(['a', 'b', 'a', 'b'].map((content) => sendArtifact(anonymous, job, { content })));
  assert.equal((await artifactsOf(job)).length, 1);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 400, 400]);
});

test('each kind has its format', async () => {
  const job = await runningJob(here, project);
  for (const [artifact_type, artifact_format] of [
    ['archive', 'gzip'],
    ['junit', 'zip'],
    ['sast', 'gzip'],
    ['dotenv', 'raw'],
  ]) {
    const answer = await sendArtifact(anonymous, job, { fields: { artifact_type, artifact_format } as never });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Invalid file format with specified file type' }]);
  }
  for (const fields of [{ artifact_type: 'trace' }, { artifact_type: 'x' }] as { artifact_type: string }[]) {
    const answer = await sendArtifact(anonymous, job, { fields });
    assert.deepEqual([answer.status, answer.body], [400, { error: 'artifact_type does not have a valid value' }]);
  }
  assert.equal((await sendArtifact(anonymous, job, { fields: { expire_in: 'soon' } })).status, 400);
  assert.deepEqual(await artifactsOf(job), []);
});

test('without a file it is refused', async () => {
  const job = await runningJob(here, project);
  for (const [raw, headers, error] of [
    ['', {}, 'file is missing'],
    ['{"file":"text"}', { 'Content-Type': 'application/json' }, 'file is invalid'],
    ['--edge--\r\n', MULTIPART, 'file is missing'],
    ['--edge\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--edge--\r\n', MULTIPART, 'file is invalid'],
  ] as const) {
    const answer = await anonymous.send('POST', `/jobs/${job.id}/artifacts`, {
      raw,
      headers: { ...job.headers, ...headers },
    });
    assert.deepEqual([answer.status, answer.body], [400, { error }], raw);
  }
  const cut = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nhalf';
  const answer = await anonymous.send('POST', `/jobs/${job.id}/artifacts`, {
    raw: cut,
    headers: { ...job.headers, ...MULTIPART },
  });
  assert.deepEqual([answer.status, answer.body], [400, { error: 'Invalid multipart body' }]);
  assert.deepEqual(await artifactsOf(job), []);
});

test('a job that has ended leaves nothing more', async () => {
  const job = await runningJob(here, project, { status: 'failed' });
  const answer = await sendArtifact(anonymous, job);
  assert.deepEqual([answer.status, answer.headers['job-status']], [403, 'failed']);
});

test('how large a file may be the project says, else the nearest group, else the setting', async () => {
  const outer = await here.newGroup();
  const inner = await here.newGroup({ in: outer });
  const place = await here.newProject({ in: inner, owner: outer.owner });
  const sent = async (mebibytes: number) => {
    const content = Buffer.alloc(mebibytes * 1024 * 1024 + 1);
    return sendArtifact(anonymous, await runningJob(here, place), { content });
  };
  await done(root.put('/application/settings', { max_artifacts_size: 1 }));
  try {
    const answer = await sent(1);
    assert.deepEqual([answer.status, answer.body], [413, { message: 'file size has reached maximum size limit' }]);
    await done(root.put(outer.at, { max_artifacts_size: 2 }));
    assert.deepEqual([(await sent(1)).status, (await sent(2)).status], [201, 413]);
    await done(root.put(inner.at, { max_artifacts_size: 1 }));
    assert.equal((await sent(1)).status, 413);
    await done(root.put(place.at, { max_artifacts_size: 3 }));
    assert.equal((await sent(2)).status, 201);
  } finally {
    await root.put('/application/settings', { max_artifacts_size: 100 });
  }
});

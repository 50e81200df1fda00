import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { MULTIPART_HEADERS, sendArtifact } from './upload.testing.ts';

// Artifact uploads of runners (contract/runners.md §3.6).

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

test('stores an uploaded file with the base name of its file name', async () => {
  const job = await runningJob(here, project);
  const fields = { artifact_type: 'archive', artifact_format: 'zip', expire_in: '3 days' };
  const answer = await sendArtifact(anonymous, job, { content: 'PK zip', filename: '../../out/a b.zip', fields });
  assert.equal(answer.status, 201);
  const expected = { file_type: 'archive', file_format: 'zip', filename: 'a b.zip', size: 6, expire_at: inDays(3) };
  assert.deepEqual(
    (await artifactsOf(job)).map((row) => ({ ...row })),
    [expected],
  );
  assert.equal(await expiryOf(job.id), inDays(3));
});

test('takes the expiry from the body, else from the query, else from the setting', async () => {
  for (const [upload, expected] of [
    [{ query: '?expire_in=1%20week' }, inDays(7)],
    [{ fields: { expire_in: 'never' } }, null],
    [{ fields: { expire_in: '99999 years' } }, '9999-12-31T23:59:59.999Z'],
    [{}, inDays(30)],
    [{ query: '?expire_in=never', fields: { expire_in: '1 day' } }, inDays(1)],
  ] as const) {
    const job = await runningJob(here, project);
    assert.equal((await sendArtifact(anonymous, job, upload)).status, 201);
    assert.equal(await expiryOf(job.id), expected, JSON.stringify(upload));
  }
});

test('accepts the token in a form field before the file', async () => {
  const job = await runningJob(here, project);
  const jobWithoutHeaders = { id: job.id, headers: {} };
  assert.equal((await sendArtifact(anonymous, jobWithoutHeaders, { fields: { token: job.token } })).status, 201);
  const wrongToken = await sendArtifact(anonymous, jobWithoutHeaders, { fields: { token: 'glcbt-wrong' } });
  assert.deepEqual([wrongToken.status, wrongToken.body], [403, { message: '403 Forbidden' }]);
  const noToken = await sendArtifact(anonymous, jobWithoutHeaders);
  assert.deepEqual([noToken.status, noToken.body], [403, { message: '403 Forbidden' }]);
});

test('checks the token in a body without a file, then returns 400 for the file', async () => {
  const { id, token } = await runningJob(here, project);
  for (const [params, status, body] of [
    [{ token }, 400, { error: 'file is missing' }],
    [{ token, file: 'text' }, 400, { error: 'file is invalid' }],
    [{ token: 'glcbt-wrong' }, 403, { message: '403 Forbidden' }],
  ] as const) {
    const form = { raw: String(new URLSearchParams(params)), headers: { 'Content-Type': FORM } };
    for (const options of [{ params }, form]) {
      const answer = await anonymous.send('POST', `/jobs/${id}/artifacts`, options);
      assert.deepEqual([answer.status, answer.body], [status, body]);
    }
  }
});

test('accepts the same file again and rejects another file of the same type', async () => {
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

test('stores one of several concurrent uploads', async () => {
  const job = await runningJob(here, project);
  const answers = await Promise.all(['a', 'b', 'a', 'b'].map((content) => sendArtifact(anonymous, job, { content })));
  assert.equal((await artifactsOf(job)).length, 1);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 400, 400]);
});

test('rejects unknown types, and formats that do not fit the type', async () => {
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

test('returns 400 without a file', async () => {
  const job = await runningJob(here, project);
  for (const [raw, headers, error] of [
    ['', {}, 'file is missing'],
    ['{"file":"text"}', { 'Content-Type': 'application/json' }, 'file is invalid'],
    ['--edge--\r\n', MULTIPART_HEADERS, 'file is missing'],
    [
      '--edge\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--edge--\r\n',
      MULTIPART_HEADERS,
      'file is invalid',
    ],
  ] as const) {
    const answer = await anonymous.send('POST', `/jobs/${job.id}/artifacts`, {
      raw,
      headers: { ...job.headers, ...headers },
    });
    assert.deepEqual([answer.status, answer.body], [400, { error }], raw);
  }
  const truncatedBody = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nhalf';
  const answer = await anonymous.send('POST', `/jobs/${job.id}/artifacts`, {
    raw: truncatedBody,
    headers: { ...job.headers, ...MULTIPART_HEADERS },
  });
  assert.deepEqual([answer.status, answer.body], [400, { error: 'Invalid multipart body' }]);
  assert.deepEqual(await artifactsOf(job), []);
});

test('returns 403 for a job that has finished', async () => {
  const job = await runningJob(here, project, { status: 'failed' });
  const answer = await sendArtifact(anonymous, job);
  assert.deepEqual([answer.status, answer.headers['job-status']], [403, 'failed']);
});

test('takes the size limit from the project, else the nearest group, else the setting', async () => {
  const outer = await here.newGroup();
  const inner = await here.newGroup({ in: outer });
  const limitedProject = await here.newProject({ in: inner, owner: outer.owner });
  const uploadMoreThan = async (mebibytes: number) => {
    const content = Buffer.alloc(mebibytes * 1024 * 1024 + 1);
    return sendArtifact(anonymous, await runningJob(here, limitedProject), { content });
  };
  await expectSuccess(root.put('/application/settings', { max_artifacts_size: 1 }));
  try {
    const answer = await uploadMoreThan(1);
    assert.deepEqual([answer.status, answer.body], [413, { message: 'file size has reached maximum size limit' }]);
    await expectSuccess(root.put(outer.at, { max_artifacts_size: 2 }));
    assert.deepEqual([(await uploadMoreThan(1)).status, (await uploadMoreThan(2)).status], [201, 413]);
    await expectSuccess(root.put(inner.at, { max_artifacts_size: 1 }));
    assert.equal((await uploadMoreThan(1)).status, 413);
    await expectSuccess(root.put(limitedProject.at, { max_artifacts_size: 3 }));
    assert.equal((await uploadMoreThan(2)).status, 201);
  } finally {
    await root.put('/application/settings', { max_artifacts_size: 100 });
  }
});

test('lists a project by the security reports of its jobs to those who may see its jobs', async () => {
  const group = await here.newGroup({ visibility: 'public' });
  const [secure, tested] = [
    await here.newProject({ in: group, visibility: 'public' }),
    await here.newProject({ in: group, visibility: 'public' }),
  ];
  const sast = { artifact_type: 'sast', artifact_format: 'raw' };
  await sendArtifact(anonymous, await runningJob(here, secure), { fields: sast });
  const junit = { artifact_type: 'junit', artifact_format: 'gzip' };
  await sendArtifact(anonymous, await runningJob(here, tested), { fields: junit });
  const listIds = async (caller: Caller) => {
    const { body } = await caller.get(`${group.at}/projects`, { with_security_reports: true });
    return body.map(({ id }: { id: number }) => id);
  };
  assert.deepEqual([await listIds(group.owner), await listIds(anonymous)], [[secure.id], [secure.id]]);
  await expectSuccess(group.owner.put(secure.at, { builds_access_level: 'private' }));
  assert.deepEqual([await listIds(group.owner), await listIds(anonymous)], [[secure.id], []]);
});

test('stores a SCIP index, and no log as an artifact', async () => {
  const job = await runningJob(here, project);
  const scip = { artifact_type: 'scip', artifact_format: 'zip' };
  assert.equal((await sendArtifact(anonymous, job, { fields: scip })).status, 201);
  const trace = { artifact_type: 'trace', artifact_format: 'raw' };
  const { status, body } = await sendArtifact(anonymous, job, { fields: trace });
  assert.deepEqual([status, body], [400, { error: 'artifact_type does not have a valid value' }]);
});

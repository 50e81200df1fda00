import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archivedJob, insertPipelineRow, runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { createZip } from '#test/support/zip.ts';

// Single files of archives, and archives by branch or tag (contract/runners.md §5.5).

const here = await world();
const { anonymous } = here;

const PAGE = '<script>alert(1)</script>';
const BYTES = Buffer.from([1, 0, 2]);
const content = createZip([
  { name: 'out/a b.html', content: PAGE },
  { name: 'bin', content: BYTES },
  { name: 'long.txt', content: 'x'.repeat(3_000_000) },
  { name: 'secret', content: 'x', flags: 1 },
]);
const FILE_NOT_FOUND = { message: '404 Not Found' };
const ARCHIVE_NOT_FOUND = { message: '404 Not found' };

test('serves a file like raw files: as an inactive content type, not cached', async () => {
  const project = await here.newProject();
  const { id } = await archivedJob(here, project, { status: 'success', content });
  const page = await project.owner.get(`${project.at}/jobs/${id}/artifacts/out/a%20b.html`);
  assert.deepEqual([page.status, page.text], [200, PAGE]);
  assert.equal(page.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(page.headers['content-length'], String(PAGE.length));
  assert.match(String(page.headers['content-disposition']), /^inline; filename="a b\.html"/);
  assert.match(String(page.headers['cache-control']), /no-store/);
  const bytes = await project.owner.get(`${project.at}/jobs/${id}/artifacts/bin`);
  assert.deepEqual([bytes.status, bytes.headers['content-type']], [200, 'application/octet-stream']);
  assert.match(String(bytes.headers['content-disposition']), /^attachment/);
  const long = await project.owner.get(`${project.at}/jobs/${id}/artifacts/long.txt`);
  assert.deepEqual([long.status, long.text?.length], [200, 3_000_000]);
  const head = await project.owner.send('HEAD', `${project.at}/jobs/${id}/artifacts/long.txt`);
  assert.deepEqual([head.status, head.headers['content-length']], [200, '3000000']);
});

test('returns different 404 messages for a missing or unreadable file and for a missing archive', async () => {
  const project = await here.newProject();
  const { id } = await archivedJob(here, project, { status: 'success', content });
  const invalidArchive = await archivedJob(here, project, { status: 'success' });
  const withoutArchive = await runningJob(here, project);
  for (const [jobId, path, status, body] of [
    [id, 'out/none', 404, FILE_NOT_FOUND],
    [id, 'out', 404, FILE_NOT_FOUND],
    [id, '..%2F..%2Fetc%2Fpasswd', 404, FILE_NOT_FOUND],
    [id, 'secret', 404, FILE_NOT_FOUND],
    [invalidArchive.id, 'bin', 404, FILE_NOT_FOUND],
    [withoutArchive.id, 'bin', 404, ARCHIVE_NOT_FOUND],
    [999_999, 'bin', 404, ARCHIVE_NOT_FOUND],
    [id, 'a%FF', 400, undefined],
    [id, 'a%00', 400, undefined],
  ] as const) {
    const answer = await project.owner.get(`${project.at}/jobs/${jobId}/artifacts/${path}`);
    assert.equal(answer.status, status, path);
    if (body !== undefined) assert.deepEqual(answer.body, body, path);
  }
});

test('serves the archive of the latest successful pipeline of a ref, despite later failures', async () => {
  const project = await here.newProject();
  const ref = 'topic/x';
  const runPipeline = async (status: 'success' | 'failed', text: string) => {
    const pipeline_id = await insertPipelineRow(here, project, { ref, status });
    const archive = { content: createZip([{ name: 'dir/a.txt', content: text }]), status, pipeline_id } as const;
    await archivedJob(here, project, { ...archive, content: 'old', name: 'build', retried: true });
    await archivedJob(here, project, { ...archive, name: 'build' });
  };
  const at = `${project.at}/jobs/artifacts/topic%2Fx`;
  const read = async () => (await project.owner.get(`${at}/raw/dir/a.txt`, { job: 'build' })).text;
  await runPipeline('success', 'first');
  await runPipeline('success', 'second');
  await runPipeline('failed', 'third');
  assert.equal(await read(), 'second');
  const whole = await project.owner.get(`${at}/download`, { job: 'build' });
  assert.deepEqual([whole.status, whole.text?.slice(0, 2)], [200, 'PK']);
  assert.match(String(whole.headers['content-disposition']), /^attachment; filename="artifacts\.zip"/);
});

test('finds the latest archive of a job in recent successful pipelines on request', async () => {
  const project = await here.newProject();
  const createJob = async (name: string, text: string, expired = false) => {
    const pipeline_id = await insertPipelineRow(here, project, { status: 'success' });
    const zip = { content: createZip([{ name: 'a.txt', content: text }]), status: 'success', pipeline_id } as const;
    await archivedJob(here, project, { ...zip, name, ...(expired ? { expire_at: '2020-01-01T00:00:00.000Z' } : {}) });
  };
  await createJob('build', 'old');
  await createJob('build', 'new');
  await createJob('build', 'expired', true);
  await createJob('test', 'x');
  const at = `${project.at}/jobs/artifacts/main`;
  const recent = { job: 'build', search_recent_successful_pipelines: true };
  for (const path of ['download', 'raw/a.txt']) {
    assert.equal((await project.owner.get(`${at}/${path}`, { job: 'build' })).status, 404, path);
    assert.equal((await project.owner.get(`${at}/${path}`, recent)).status, 200, path);
    assert.equal((await project.owner.get(`${at}/${path}`, { ...recent, job: 'none' })).status, 404, path);
  }
  assert.equal((await project.owner.get(`${at}/raw/a.txt`, recent)).text, 'new');
});

test('returns 400 without a job name, and 404 for another job, ref or file', async () => {
  const project = await here.newProject({ with: ['reporter'] });
  const pipeline_id = await insertPipelineRow(here, project, { status: 'success', sha: 'b'.repeat(40) });
  const options = JSON.stringify({ artifacts: { access: 'developer' } });
  await archivedJob(here, project, { pipeline_id, name: 'build', status: 'success', content, options });
  await runningJob(here, project, { pipeline_id, name: 'bare', status: 'success' });
  const at = `${project.at}/jobs/artifacts`;
  for (const [path, params, status, body] of [
    ['main/download', {}, 400, { error: 'job is missing' }],
    ['main/raw/bin', {}, 400, { error: 'job is missing' }],
    ['main/download', { job: 'none' }, 404, ARCHIVE_NOT_FOUND],
    ['main/download', { job: 'bare' }, 404, ARCHIVE_NOT_FOUND],
    ['main/raw/none', { job: 'build' }, 404, FILE_NOT_FOUND],
    ['HEAD/download', { job: 'build' }, 404, ARCHIVE_NOT_FOUND],
    [`${'b'.repeat(40)}/download`, { job: 'build' }, 404, ARCHIVE_NOT_FOUND],
    ['other/raw/bin', { job: 'build' }, 404, ARCHIVE_NOT_FOUND],
  ] as const) {
    const answer = await project.owner.get(`${at}/${path}`, params);
    assert.deepEqual([answer.status, answer.body], [status, body], path);
  }
  assert.equal((await anonymous.get(`${at}/main/download`, { job: 'build' })).status, 401);
});

test('restricts files like their archive, and accepts job tokens', async () => {
  const project = await here.newProject({ with: ['reporter', 'developer'], visibility: 'public' });
  const pipeline_id = await insertPipelineRow(here, project, { status: 'success' });
  const job = await runningJob(here, project, { pipeline_id, name: 'build' });
  await archivedJob(here, project, { pipeline_id, name: 'open', status: 'success', content });
  const { id } = await archivedJob(here, project, { pipeline_id, name: 'closed', status: 'success', content });
  const { database } = here.server.services;
  await database.transaction((tx) =>
    tx.updateTable('job_artifacts').set({ accessibility: 'private' }).where('job_id', '=', id).execute(),
  );
  const [file, latest] = [`${project.at}/jobs/${id}/artifacts/bin`, `${project.at}/jobs/artifacts/main`];
  for (const [path, params] of [
    [file, {}],
    [`${latest}/raw/bin`, { job: 'closed' }],
    [`${latest}/download`, { job: 'closed' }],
  ] as const) {
    assert.equal((await project.reporter.get(path, params)).status, 403);
    assert.equal((await project.developer.get(path, params)).status, 200);
    assert.equal((await anonymous.get(path, params, job.headers)).status, 200);
  }
  assert.equal((await project.reporter.get(`${latest}/raw/bin`, { job: 'open' })).status, 200);
});

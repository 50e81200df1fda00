import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { buildMultipartBody, MULTIPART_HEADERS } from '#api/pipelines/artifacts/upload.testing.ts';
import { basic } from '#test/examples/scene.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { startPartialRequest } from '#test/support/slow-request.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';

// A request body may take minutes. Access that is revoked meanwhile is missing when the body is complete: nothing
// is written, and the response is that of a new request (contract/repository.md §0, §5).

const here = await world();
const { server, root, user, tokenOf, newProject } = here;
const { services } = server;
const { reader } = services.database;

const json = (caller: Caller, params: object) => ({
  headers: { 'PRIVATE-TOKEN': caller.token ?? '', 'Content-Type': 'application/json' },
  body: Buffer.from(JSON.stringify(params)),
});

const content = Buffer.from('an object of LFS');
const oid = createHash('sha256').update(content).digest('hex');

/** A push that creates the branch `x` at the head of `main`, which needs no objects. */
function pushOf(tip: string): Buffer {
  const line = `${'0'.repeat(40)} ${tip} refs/heads/x\0 report-status side-band-64k`;
  const pack = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  const end = createHash('sha1').update(pack).digest();
  return Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), pack, end]);
}

/**
 * Endpoints that check access before reading the body: those in WRITES and BY_RUNNERS, and those that write nothing.
 */
const TRIED = [
  'appendTrace',
  'attachToGroupWiki',
  'attachToProjectWiki',
  'createCommit',
  'createFile',
  'createLfsLock',
  'receivePush',
  'updateFile',
  'uploadArtifacts',
  'uploadLfsObject',
];
const READING = ['batchLfsObjects', 'fetchPack', 'verifyLfsLocks'];
/** Endpoints that check access as `createLfsLock` does. */
const LIKE_OTHERS = ['deleteLfsLock'];
/** Endpoints that respond without waiting for the body. */
const WITHOUT_BODY = ['createClientKey'];
/** Endpoints with project keys: alerts are tested here, reports in `envelopes/store-report.test.ts`. */
const BY_KEYS = [
  'ingestEnvelope',
  'ingestEnvelopeByOlderDsn',
  'ingestEnvelopeByPlainDsn',
  'ingestEvent',
  'ingestEventByOlderDsn',
  'ingestEventByPlainDsn',
  'notifyIntegration',
  'notifyIntegrationJson',
  'notifyLegacy',
  'notifyLegacyJson',
  'notifyPrometheus',
  'notifyPrometheusJson',
];

interface Given {
  readonly project: Project;
  readonly developer: Caller;
  readonly tip: string;
}

/** All writes with a body, started by a Developer and half sent. */
const WRITES = {
  'a new file': ({ project, developer }: Given) =>
    startPartialRequest(server, 'POST', `/api/v4${project.repository}/files/new.txt`, {
      ...json(developer, { branch: 'x', start_branch: 'main', commit_message: 'm', content: 'c' }),
    }),
  'a commit': ({ project, developer }: Given) =>
    startPartialRequest(server, 'POST', `/api/v4${project.repository}/commits`, {
      ...json(developer, {
        branch: 'x',
        start_branch: 'main',
        commit_message: 'm',
        actions: [{ action: 'create', file_path: 'new.txt', content: 'c' }],
      }),
    }),
  'a push': ({ project, developer, tip }: Given) =>
    startPartialRequest(server, 'POST', `/${project.path_with_namespace}.git/git-receive-pack`, {
      headers: { ...basic(developer), 'Content-Type': 'application/x-git-receive-pack-request' },
      body: pushOf(tip),
    }),
  'an LFS object': ({ project, developer }: Given) =>
    startPartialRequest(
      server,
      'PUT',
      `/${project.path_with_namespace}.git/gitlab-lfs/objects/${oid}/${content.length}`,
      {
        headers: { ...basic(developer), 'Content-Type': 'application/octet-stream' },
        body: content,
      },
    ),
  'an LFS lock': ({ project, developer }: Given) =>
    startPartialRequest(server, 'POST', `/${project.path_with_namespace}.git/info/lfs/locks`, {
      headers: { ...basic(developer), 'Content-Type': 'application/vnd.git-lfs+json' },
      body: Buffer.from('{"path":"a.bin"}'),
    }),
  'an attachment': ({ project, developer }: Given) =>
    startPartialRequest(server, 'POST', `/api/v4${project.at}/wikis/attachments`, {
      headers: { 'PRIVATE-TOKEN': developer.token ?? '', ...MULTIPART_HEADERS },
      body: buildMultipartBody({ filename: 'a.txt' }),
    }),
} as const;

async function given(): Promise<Given> {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { body } = await expectSuccess(project.owner.get(`${project.repository}/branches/main`));
  return { project, developer: project.developer, tip: body.commit.id };
}

/** Returns what exists of the results of the writes. */
async function made({ project }: Given) {
  const { status } = await project.owner.get(`${project.repository}/branches/x`);
  const linked = await reader
    .selectFrom('lfs_object_projects')
    .select('project_id')
    .where('project_id', '=', project.id)
    .execute();
  const wikis = await reader
    .selectFrom('wikis')
    .select('wiki_id')
    .where('project_id', '=', project.id)
    .where('empty', '=', false)
    .execute();
  const locks = await reader.selectFrom('lfs_locks').select('id').where('project_id', '=', project.id).execute();
  return status === 200 || [linked, wikis, locks].some((rows) => rows.length > 0);
}

/** Returns the response as text; of a push, the output of its client. */
function said({ status, text }: { status: number; text: string }): string {
  const printed = /GitLab: ([^\n]*)\n/.exec(text)?.[1];
  return printed ?? `${status} ${text}`;
}

test('writes when no access was revoked meanwhile', async () => {
  for (const [name, begin] of Object.entries(WRITES)) {
    const here = await given();
    const { status } = await (await begin(here)).finish();
    assert.deepEqual([name, status < 300, await made(here)], [name, true, true]);
  }
});

test('covers every endpoint that reads its body after the access check', () => {
  const behind = server.registry.endpoints.filter(
    ({ body, method }) => (body === 'deferred' || body === 'raw') && method !== 'GET' && method !== 'HEAD',
  );
  const known = [...TRIED, ...READING, ...LIKE_OTHERS, ...WITHOUT_BODY, ...BY_KEYS];
  assert.deepEqual(behind.map(({ name }) => name).sort(), known.sort());
});

test('an alert whose key is reset meanwhile is not stored', async () => {
  const { owner, at } = await newProject();
  const { id, url, token } = (await expectSuccess(owner.post(`${at}/alert_integrations`, { name: 'Late' }))).body;
  const late = await startPartialRequest(server, 'POST', new URL(url).pathname, {
    headers: { Authorization: `Bearer ${token}` },
    body: Buffer.from('{"title":"late"}'),
  });
  await expectSuccess(owner.post(`${at}/alert_integrations/${id}/reset_token`));
  assert.equal((await late.finish()).status, 401);
  assert.deepEqual((await owner.get(`${at}/alert_management_alerts`)).body, []);
});

type Expected = Readonly<Record<keyof typeof WRITES, string>>;

async function loses(meanwhile: (here: Given) => Promise<unknown>, expected: Partial<Expected>): Promise<void> {
  const heard: Record<string, string> = {};
  for (const name of Object.keys(expected) as (keyof typeof WRITES)[]) {
    const here = await given();
    const request = await WRITES[name](here);
    await meanwhile(here);
    heard[name] = said(await request.finish());
    assert.equal(await made(here), false, `${name} was written`);
  }
  assert.deepEqual(heard, expected);
}

/** Equal for files and commits, and for pushes and LFS objects except the status. */
const heardBy = (api: string, git: string, status: number): Expected => ({
  'a new file': api,
  'a commit': api,
  'a push': git,
  'an LFS object': `${status} ${git}`,
  'an LFS lock': `${status} ${git}`,
  'an attachment': api === FORBIDDEN ? '403 {"message":"403 Forbidden"}' : api,
});

const MISSING = "The project you were looking for could not be found or you don't have permission to view it.";
const DENIED =
  'HTTP Basic: Access denied. The provided password or token is incorrect or has expired, or your account may not use it.';
const FORBIDDEN = '403 {"message":"403 Forbidden - You are not allowed to push into this branch"}';
const invalidToken = (why: string) =>
  `401 {"message":"401 Unauthorized","error":"invalid_token","error_description":"${why} re-authorize from the user."}`;

test('a former member writes nothing and gets 404', async () => {
  const remove = ({ project, developer }: Given) => project.owner.delete(`${project.at}/members/${developer.id}`);
  await loses((here) => expectSuccess(remove(here)), heardBy('404 {"message":"404 Project Not Found"}', MISSING, 404));
});

test('a member who became a Reporter writes nothing', async () => {
  const lower = ({ project, developer }: Given) =>
    project.owner.put(`${project.at}/members/${developer.id}`, { access_level: 20 });
  const push = 'You are not allowed to push code to this project.';
  await loses((here) => expectSuccess(lower(here)), heardBy(FORBIDDEN, push, 403));
});

test('a caller with a revoked token writes nothing', async () => {
  const revoke = ({ developer }: Given) => developer.delete('/personal_access_tokens/self');
  await loses(
    (here) => expectSuccess(revoke(here)),
    heardBy(invalidToken('Token was revoked. You have to'), DENIED, 401),
  );
});

test('a blocked user writes nothing', async () => {
  const block = ({ developer }: Given) => root.post(`/users/${developer.id}/block`);
  await loses(
    (here) => expectSuccess(block(here)),
    heardBy('403 {"message":"403 Forbidden - Your account has been blocked."}', DENIED, 401),
  );
});

test('writes nothing to a project archived meanwhile', async () => {
  const archive = ({ project }: Given) => project.owner.post(`${project.at}/archive`);
  await loses(
    (here) => expectSuccess(archive(here)),
    heardBy(FORBIDDEN, "You can't push code to an archived project.", 403),
  );
});

test('writes nothing to a project marked for deletion meanwhile', async () => {
  const remove = ({ project }: Given) => project.owner.delete(project.at);
  for (const name of Object.keys(WRITES) as (keyof typeof WRITES)[]) {
    const here = await given();
    const request = await WRITES[name](here);
    await expectSuccess(remove(here));
    const moved = 'The project has moved.';
    const { 'an attachment': attached } = heardBy(FORBIDDEN, '', 0);
    const lfs = `404 ${moved}`;
    const own: Record<string, string> = {
      'a push': moved,
      'an LFS object': lfs,
      'an LFS lock': lfs,
      'an attachment': attached,
    };
    const expected = own[name] ?? FORBIDDEN;
    assert.equal(said(await request.finish()).slice(0, expected.length), expected);
    assert.equal(await made(here), false, `${name} was written`);
  }
});

test('writes nothing to a branch protected meanwhile', async () => {
  const protect = ({ project }: Given) => project.owner.post(`${project.at}/protected_branches`, { name: 'x' });
  const { 'a new file': file, 'a commit': commit } = heardBy(FORBIDDEN, '', 0);
  const push = 'You are not allowed to create protected branches on this project.';
  await loses((here) => expectSuccess(protect(here)), { 'a new file': file, 'a commit': commit, 'a push': push });
});

test('links no LFS object to a project where LFS was disabled meanwhile', async () => {
  const turnOff = ({ project }: Given) => project.owner.put(project.at, { lfs_enabled: false });
  await loses((here) => expectSuccess(turnOff(here)), { 'an LFS object': '404 Not found' });
});

test('stores no LFS object in a repository made read-only meanwhile', async () => {
  const lock = ({ project }: Given) => root.put(project.at, { repository_read_only: true });
  const text = 'The repository is temporarily read-only. Please try again later.';
  await loses((here) => expectSuccess(lock(here)), {
    'a new file': `400 {"message":"${text}"}`,
    'a push': text,
    'an LFS object': `403 ${text}`,
  });
});

test('a former administrator writes nothing', async () => {
  const here = await given();
  const other = await user();
  await expectSuccess(root.put(`/users/${other.id}`, { admin: true }));
  const sudo = await tokenOf(other, ['api', 'sudo']);
  const { headers, body } = json(sudo, { branch: 'x', start_branch: 'main', commit_message: 'm', content: 'c' });
  const request = await startPartialRequest(server, 'POST', `/api/v4${here.project.repository}/files/new.txt`, {
    headers: { ...headers, Sudo: here.developer.username },
    body,
  });
  await expectSuccess(root.put(`/users/${other.id}`, { admin: false }));
  assert.equal(said(await request.finish()), '403 {"message":"403 Forbidden - Must be admin to use sudo"}');
  assert.equal(await made(here), false);
});

/** Requests of a runner with its job token, half sent. */
const BY_RUNNERS = {
  'a log': ({ id, headers }: RunningJob) =>
    startPartialRequest(server, 'PATCH', `/api/v4/jobs/${id}/trace`, {
      headers: { ...headers, 'Content-Range': '0-5' },
      body: Buffer.from('Hello\n'),
    }),
  'a file': ({ id, headers }: RunningJob) =>
    startPartialRequest(server, 'POST', `/api/v4/jobs/${id}/artifacts`, {
      headers: { ...headers, ...MULTIPART_HEADERS },
      body: buildMultipartBody({ content: 'x'.repeat(1000) }),
    }),
} as const;

type RunningJob = Awaited<ReturnType<typeof runningJob>>;

/** Returns what exists of a job's results. */
async function keptOf({ id }: RunningJob): Promise<number> {
  const logs = await reader.selectFrom('job_trace_chunks').select('job_id').where('job_id', '=', id).execute();
  const files = await reader.selectFrom('job_artifacts').select('job_id').where('job_id', '=', id).execute();
  return logs.length + files.length;
}

test('stores what a runner sends while its job runs', async () => {
  const project = await newProject({});
  for (const [name, begin] of Object.entries(BY_RUNNERS)) {
    const job = await runningJob(here, project);
    const { status } = await (await begin(job)).finish();
    assert.deepEqual([name, status < 300, await keptOf(job)], [name, true, 1]);
  }
});

test('stores nothing for a job that finished meanwhile', async () => {
  const project = await newProject({});
  for (const [name, begin] of Object.entries(BY_RUNNERS)) {
    const job = await runningJob(here, project);
    const request = await begin(job);
    await expectSuccess(project.owner.post(`${project.at}/jobs/${job.id}/cancel`));
    const text = '403 {"message":"403 Forbidden - Job is not processing on runner"}';
    assert.deepEqual([name, said(await request.finish()), await keptOf(job)], [name, text, 0]);
  }
});

test('stores nothing for a job whose pipeline was deleted meanwhile', async () => {
  const project = await newProject({});
  for (const [name, begin] of Object.entries(BY_RUNNERS)) {
    const job = await runningJob(here, project);
    const [{ id } = { id: 0 }] = (await expectSuccess(project.owner.get(`${project.at}/pipelines`))).body;
    const request = await begin(job);
    await expectSuccess(project.owner.delete(`${project.at}/pipelines/${id}`));
    const text = '403 {"message":"403 Forbidden"}';
    assert.deepEqual([name, said(await request.finish()), await keptOf(job)], [name, text, 0]);
  }
});

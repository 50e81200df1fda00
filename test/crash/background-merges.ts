import assert from 'node:assert/strict';
import { openDatabase, type Reader } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { git } from './load.ts';
import { ask, asked } from './request.ts';
import { repositoryDirectory } from './verify.ts';

// What a server does with merge requests in its own time, while it is killed: it rebases them, and merges them when all has
// come that they wait for.

/** What somebody cases of a server, again and again until it has been answered. */
interface VariableParams {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  answered: boolean;
}

interface Opened {
  readonly iid: number;
  readonly branch: string;
  readonly head: string;
}

export interface Later {
  /** Each of two commits; of the first of them the second conflicts with its target branch. */
  readonly rebases: readonly Opened[];
  /** Each waits for its pipeline and its thread. Somebody pushes to the first, and merges the second by hand. */
  readonly merges: readonly Opened[];
  /** What sets all of it off. */
  readonly cases: readonly VariableParams[];
}

export interface Scene {
  readonly address: string;
  readonly projectId: number;
}

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

const REBASES = 3;
const MERGES = 3;

/** Merge requests that are behind their target branch, and others that wait for what comes when `setOff` says so. */
export async function prepareLater(scene: Scene, round: number): Promise<Later> {
  await done(scene, 'PUT', '', { only_allow_merge_if_all_discussions_are_resolved: true });
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const rebases = await Promise.all(numbers(REBASES).map((index) => behind(scene, `rebase-${round}-${index}`)));
  await commit(scene, 'main', `rebase-${round}-0.last`);
  const merges = await Promise.all(numbers(MERGES).map((index) => waiting(scene, `wait-${round}-${index}`)));
  const [pushed, byHand] = merges;
  const cases = [
    ...rebases.map(({ iid }) => toAsk('PUT', `/merge_requests/${iid}/rebase`)),
    ...merges.flatMap(({ cases }) => cases),
    toAsk('POST', '/repository/commits', commitOf(pushed!.branch, 'pushed')),
    toAsk('PUT', `/merge_requests/${byHand!.iid}/merge`),
  ];
  return { rebases, merges, cases };
}

async function behind(scene: Scene, branch: string): Promise<Opened> {
  await commit(scene, branch, `${branch}.first`, 'main');
  const head = await commit(scene, branch, `${branch}.last`);
  return { iid: await open(scene, branch), branch, head };
}

async function waiting(scene: Scene, branch: string) {
  const head = await commit(scene, branch, `${branch}.only`, 'main');
  const iid = await open(scene, branch);
  const at = `/merge_requests/${iid}`;
  const status = `/statuses/${head}`;
  await done(scene, 'POST', status, { state: 'running', ref: branch });
  const thread = await done(scene, 'POST', `${at}/discussions`, { body: 'Wait' });
  const { merge_when_pipeline_succeeds } = await done(scene, 'PUT', `${at}/merge`, { auto_merge: true });
  assert.equal(merge_when_pipeline_succeeds, true);
  const cases = [
    toAsk('POST', status, { state: 'success', ref: branch }),
    toAsk('PUT', `${at}/discussions/${thread.id}`, { resolved: true }),
  ];
  return { iid, branch, head, cases };
}

const toAsk = (method: string, path: string, body?: object): VariableParams => ({
  method,
  path,
  ...(body && { body }),
  answered: false,
});

/** Sends all requests without a response so far, at once. */
export async function setOff(scene: Scene, { cases }: Later): Promise<void> {
  const open = cases.filter(({ answered }) => !answered);
  await Promise.all(
    open.map(async (one) => {
      const { method, path, body } = one;
      const answer = await ask(scene, method, `/projects/${scene.projectId}${path}`, body).catch(() => null);
      one.answered = answer !== null && answer.status < 500;
    }),
  );
}

const KINDS = ['rebase_merge_request', 'run_auto_merge', 'update_merge_request_heads'];

/** Milliseconds. What somebody pushes to while it is on its way is looked at again a minute later. */
const DONE_WITHIN = 120_000;

/** Each is rebased whole or as it was, and merged once or not at all; what it says of itself is what has become of it. */
export async function verifyLater(place: Place, scene: Scene, later: Later): Promise<void> {
  const database = await openDatabase({ url: place.databaseUrl, dataDir: place.dataDir, clock: systemClock });
  try {
    const { reader } = database;
    await isDone(reader);
    const merges = await reader.selectFrom('merge_request_auto_merges').select('merge_request_id').execute();
    const rebases = await reader.selectFrom('merge_request_rebases').select('merge_request_id').execute();
    assert.deepEqual([merges, rebases], [[], []], 'of automatic merges and rebases some are left');
    await verifyEach(scene, await repositoryDirectory(reader, place.dataDir, scene.projectId), later);
  } finally {
    await database.close();
  }
}

/** Nothing of it is still to be done. */
async function isDone(db: Reader): Promise<void> {
  const deadline = performance.now() + DONE_WITHIN;
  const work = db
    .selectFrom('background_jobs')
    .select(['kind', 'attempts', 'run_at', 'lease_owner', 'lease_until', 'last_error'])
    .where('kind', 'in', KINDS);
  for (;;) {
    const left = await work.where('state', '=', 'pending').execute();
    if (left.length === 0) return;
    assert.ok(performance.now() < deadline, `never done at ${new Date().toISOString()}: ${JSON.stringify(left)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function verifyEach(scene: Scene, repository: string, later: Later): Promise<void> {
  const [conflicting, ...others] = later.rebases;
  await verifyAsItWas(scene, repository, conflicting!);
  for (const one of others) await verifyRebased(scene, repository, one);
  const [pushed, ...unhindered] = later.merges;
  for (const one of unhindered) assert.equal((await read(scene, one)).state, 'merged', `!${one.iid}`);
  await verifyPushed(scene, pushed!);
  await verifyMergedOnce(repository, later);
}

async function verifyAsItWas(scene: Scene, repository: string, one: Opened): Promise<void> {
  const { sha, merge_error, rebase_in_progress } = await read(scene, one);
  const tip = await tipOf(repository, one);
  assert.deepEqual([sha, tip, rebase_in_progress], [one.head, one.head, false], `!${one.iid}`);
  assert.match(String(merge_error), /^Rebase failed/);
}

async function verifyRebased(scene: Scene, repository: string, one: Opened): Promise<void> {
  const { sha, merge_error, rebase_in_progress } = await read(scene, one);
  const tip = await tipOf(repository, one);
  assert.notEqual(tip, one.head, `!${one.iid} was told to be rebased, and is not`);
  assert.deepEqual([sha, merge_error, rebase_in_progress], [tip, null, false], `!${one.iid}`);
  const { text } = await git(repository, 'log', '--format=%s', `refs/heads/main..${tip}`);
  assert.equal(text, `${one.branch}.last\n${one.branch}.first\n`);
  const versions = await done(scene, 'GET', `/merge_requests/${one.iid}/versions`);
  assert.deepEqual(
    versions.map(({ head_commit_sha }: { head_commit_sha: string }) => head_commit_sha).sort(),
    [tip, one.head].sort(),
    `!${one.iid} has been rebased twice, or nobody was told`,
  );
}

/** Asserts that it was merged with its commits before the push, or not at all, and that its state matches. */
async function verifyPushed(scene: Scene, one: Opened): Promise<void> {
  const { state, sha, merge_when_pipeline_succeeds } = await read(scene, one);
  assert.equal(merge_when_pipeline_succeeds, false);
  const notes = await done(scene, 'GET', `/merge_requests/${one.iid}/notes`);
  const aborted = notes.filter(({ body }: { body: string }) => body.includes('the source branch was updated')).length;
  assert.deepEqual([sha === one.head, aborted], state === 'merged' ? [true, 0] : [false, 1], `!${one.iid} is ${state}`);
}

async function verifyMergedOnce(repository: string, { merges }: Later): Promise<void> {
  const { text } = await git(repository, 'log', '--merges', '--format=%s', 'refs/heads/main');
  const subjects = text.split('\n');
  for (const { branch } of merges) {
    const times = subjects.filter((subject) => subject === `Merge branch '${branch}' into 'main'`).length;
    assert.ok(times <= 1, `${branch} was merged ${times} times`);
  }
}

const read = (scene: Scene, { iid }: Opened) =>
  done(scene, 'GET', `/merge_requests/${iid}?include_rebase_in_progress=true`);

async function tipOf(repository: string, { branch }: Opened): Promise<string> {
  return (await git(repository, 'rev-parse', `refs/heads/${branch}`)).text.trim();
}

async function open(scene: Scene, branch: string): Promise<number> {
  const params = { source_branch: branch, target_branch: 'main', title: branch };
  return (await done(scene, 'POST', '/merge_requests', params)).iid;
}

async function commit(scene: Scene, branch: string, name: string, start?: string): Promise<string> {
  return (await done(scene, 'POST', '/repository/commits', commitOf(branch, name, start))).id;
}

function commitOf(branch: string, name: string, start_branch?: string): object {
  const actions = [{ action: 'create', file_path: `later/${name}`, content: `${branch} ${name}` }];
  return { branch, commit_message: name, actions, ...(start_branch && { start_branch }) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
const done = (scene: Scene, method: string, path: string, body?: object): Promise<any> =>
  asked(scene, method, `/projects/${scene.projectId}${path}`, body);

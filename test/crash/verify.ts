import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Database, openDatabase, type Reader } from '#database/database.ts';
import { enqueue } from '#jobs/job.ts';
import { recoverInterruptedRefUpdatesJob } from '#repositories/ref-updates/recovery.ts';
import { systemClock } from '#runtime/clock.ts';
import { type Acknowledged, git } from './load.ts';
import { verifyMerges } from './merges.ts';

const ZERO = '0'.repeat(40);

export interface Checking {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly projectId: number;
  readonly told: Acknowledged;
}

/** After a crash and a start: nothing acknowledged is lost, git is sound, every ref change has its event exactly once. */
export async function verify({ dataDir, databaseUrl, projectId, told }: Checking): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, dataDir, clock: systemClock });
  try {
    const repository = await repositoryDirectory(database.reader, dataDir, projectId);
    const checked = await git(repository, 'fsck', '--strict', '--no-dangling');
    assert.ok(checked.ok, `git fsck: ${checked.text}`);
    const refs = await refsOf(repository);
    await verifyTold(repository, refs, told);
    await verifyEvents(database.reader, projectId, refs);
    await verifyMerges(database.reader, repository, projectId, told.merged);
    assert.deepEqual(await intentsIn(database), [], 'intents are left');
    const dead = database.reader.selectFrom('background_jobs').selectAll().where('state', '=', 'dead');
    assert.deepEqual(await dead.execute(), [], 'work is given up');
  } finally {
    await database.close();
  }
}

/** Completes the unfinished work of the killed server with a running one. */
export async function settledByOther(databaseUrl: string): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, dataDir: '', clock: systemClock });
  try {
    // Run the per-minute jobs now.
    await database.transaction((tx) => enqueue(tx, recoverInterruptedRefUpdatesJob, null));
    const deadline = performance.now() + SETTLED_WITHIN;
    while ((await intentsIn(database)).length > 0) {
      assert.ok(performance.now() < deadline, 'a running server has not settled what another has left');
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await database.close();
  }
}

/** Milliseconds. */
const SETTLED_WITHIN = 60_000;

function intentsIn({ reader }: Database) {
  return reader.selectFrom('ref_intents').selectAll().execute();
}

export async function repositoryDirectory(db: Reader, dataDir: string, projectId: number): Promise<string> {
  const { disk_path } = await db
    .selectFrom('repositories')
    .select('disk_path')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return join(dataDir, 'repositories', disk_path);
}

async function refsOf(repository: string): Promise<Map<string, string>> {
  const { text } = await git(repository, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads');
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
}

async function verifyTold(repository: string, refs: Map<string, string>, told: Acknowledged): Promise<void> {
  const { text } = await git(repository, 'ls-tree', '-r', '--name-only', 'main');
  const there = new Set(text.split('\n'));
  const lost = [...told.files].filter((file) => !there.has(file));
  assert.deepEqual(lost, [], 'acknowledged files are lost');
  for (const branch of told.branches) assert.ok(refs.has(branch), `the branch ${branch} is lost`);
  for (const branch of told.deleted) assert.ok(!refs.has(branch), `the deleted branch ${branch} is back`);
  for (const [branch, id] of told.pushed) {
    const reached = await git(repository, 'merge-base', '--is-ancestor', id, `refs/heads/${branch}`);
    assert.ok(reached.ok, `the push of ${id} to ${branch} is lost`);
  }
}

/** Asserts that the events of a ref form one chain from its creation to its current commit, without gaps or duplicates. */
async function verifyEvents(db: Reader, projectId: number, refs: Map<string, string>): Promise<void> {
  const events = await db
    .selectFrom('activity_events')
    .select(['ref', 'commit_from', 'commit_to'])
    .where('project_id', '=', projectId)
    .where('action', '=', 'pushed')
    .orderBy('id')
    .execute();
  const chains = Map.groupBy(events, ({ ref }) => ref as string);
  for (const [ref, chain] of chains) {
    const links = new Map(chain.map(({ commit_from, commit_to }) => [commit_from ?? ZERO, commit_to ?? ZERO]));
    assert.equal(links.size, chain.length, `${ref}: two events begin at the same commit`);
    let at = ZERO;
    for (let step = 0; step < chain.length; step++) {
      const next = links.get(at);
      assert.ok(next !== undefined, `${ref}: the chain of events breaks off at ${at}`);
      links.delete(at);
      at = next;
    }
    assert.equal(at === ZERO ? undefined : at, refs.get(ref), `${ref}: the last event is not where the ref is`);
  }
  for (const ref of refs.keys()) assert.ok(chains.has(ref), `${ref} has no event`);
}

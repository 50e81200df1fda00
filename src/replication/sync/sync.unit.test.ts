import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { hasBlob, openBlob } from '#blobs/store.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { createFakePrimary, type FakePrimary, startTestSecondary, type TestSecondary } from '../world.testing.ts';
import { getCopy } from './copies.ts';

// Background work of a secondary (contract/operations.md §3.5), with a fake primary.

const repository = (secondary: TestSecondary, id: number) =>
  getCopy(secondary.git, 'default', { replicable_name: 'project_repository', replicable_id: id });

const checksum = (primary: FakePrimary, name: string) => primary.replicables.get(name)?.checksum ?? '';

/** Returns the rows as `project_repository 1 synced verified`. */
async function states(secondary: TestSecondary): Promise<string[]> {
  const rows = await secondary.listRegistryRows();
  return rows.map((row) => [row.replicable_name, row.replicable_id, row.state, row.verification].join(' '));
}

async function isSame(primary: FakePrimary, secondary: TestSecondary, id: number): Promise<void> {
  const here = await computeRepositoryChecksum(secondary.git, repository(secondary, id));
  assert.equal(here, checksum(primary, `project_repository ${id}`));
}

test('copies and verifies the objects of the primary and follows changes and deletions', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  await primary.commit(2, { 'b.txt': 'b' });
  primary.addBlob('lfs_object', 4, Buffer.from('large'));
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  const first = ['project_repository 1 synced verified', 'project_repository 2 synced verified'];
  assert.deepEqual(await states(secondary), [...first, 'lfs_object 4 synced verified']);
  await isSame(primary, secondary, 1);
  const large = checksum(primary, 'lfs_object 4');
  assert.equal(await text((await openBlob(secondary.blobs, large))!.stream), 'large');
  await primary.commit(1, { 'c.txt': 'c' });
  primary.removeReplicable('project_repository', 2);
  primary.removeReplicable('lfs_object', 4);
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), first.slice(0, 1));
  await isSame(primary, secondary, 1);
  assert.equal(await repositoryExists(repository(secondary, 2)), false);
  assert.equal(await hasBlob(secondary.blobs, large), false);
});

test('a size that the primary names is bounded before the file is requested, and compared while it arrives', async (t) => {
  const primary = await createFakePrimary(t);
  const requests: string[] = [];
  primary.intercept = ({ url }) => {
    requests.push(url ?? '');
    return false;
  };
  const sizes = [Number.MAX_SAFE_INTEGER, 1, 3, 5];
  for (const [index, size] of sizes.entries()) {
    primary.addBlob('upload', index + 1, Buffer.from(`abc${index}`.slice(0, 4)));
    const name = `upload ${index + 1}`;
    primary.replicables.set(name, { ...primary.replicables.get(name)!, size });
  }
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  assert.deepEqual(
    (await secondary.listRegistryRows()).map(({ state }) => state),
    sizes.map(() => 'failed'),
  );
  const retrieved = requests.filter((url) => url.includes('/geo/retrieve/'));
  assert.deepEqual(
    retrieved,
    [2, 3, 4].map((id) => `/api/v4/geo/retrieve/upload/${id}`),
  );
  for (const { checksum } of primary.replicables.values())
    assert.equal(await hasBlob(secondary.blobs, checksum!), false);
});

test('deletes a file that two copies share with the last of them', async (t) => {
  const primary = await createFakePrimary(t);
  for (const id of [1, 2]) primary.addBlob('upload', id, Buffer.from('same'));
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  const same = checksum(primary, 'upload 1');
  primary.removeReplicable('upload', 1);
  await secondary.pollOnce();
  assert.equal(await hasBlob(secondary.blobs, same), true);
  primary.removeReplicable('upload', 2);
  await secondary.pollOnce();
  assert.equal(await hasBlob(secondary.blobs, same), false);
  assert.deepEqual(await readdir(join(secondary.blobs.directory, 'drafts')), []);
});

test('detects damaged copies during reverification and creates them again', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  primary.addBlob('job_artifact', 1, Buffer.from('right'));
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  const right = ['project_repository 1 synced verified', 'job_artifact 1 synced verified'];
  const objects = join(repository(secondary, 1).directory, 'objects');
  const loose = (await readdir(objects)).find((name) => /^[0-9a-f]{2}$/.test(name))!;
  await rm(join(objects, loose), { recursive: true });
  const digest = checksum(primary, 'job_artifact 1');
  await writeFile(join(secondary.blobs.directory, digest.slice(0, 2), digest.slice(2, 4), digest), 'wrong');
  // Never offline so long that everything is copied again.
  const daysPass = async (days: number) => {
    for (let day = 0; day < days; day++) {
      secondary.clock.advance(86_000);
      await secondary.pollOnce();
    }
  };
  await daysPass(6);
  assert.deepEqual(await states(secondary), right);
  await daysPass(2);
  assert.deepEqual(await states(secondary), ['project_repository 1 pending failed', 'job_artifact 1 pending failed']);
  secondary.clock.advance(1);
  await secondary.settle();
  assert.deepEqual(await states(secondary), right);
  assert.ok((await readdir(objects)).includes(loose));
  await isSame(primary, secondary, 1);
  assert.equal(await text((await openBlob(secondary.blobs, digest))!.stream), 'right');
});

test('retries a failed copy after 1, 2, 4 seconds while others continue', async (t) => {
  const primary = await createFakePrimary(t);
  primary.addBlob('upload', 1, Buffer.from('one'));
  primary.addBlob('upload', 2, Buffer.from('two'));
  const secondary = await startTestSecondary(t, primary.url);
  let tries = 0;
  primary.intercept = ({ url }, response) => {
    if (url !== '/api/v4/geo/retrieve/upload/1') return false;
    tries++;
    response.writeHead(500).end();
    return true;
  };
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), ['upload 1 failed pending', 'upload 2 synced verified']);
  for (const [seconds, expected] of [
    [0.5, 1],
    [0.5, 2],
    [1, 2],
    [1, 3],
    [3, 3],
    [1, 4],
  ] as const) {
    secondary.clock.advance(seconds);
    await secondary.settle();
    assert.equal(tries, expected);
  }
  primary.intercept = null;
  secondary.clock.advance(8);
  await secondary.settle();
  assert.deepEqual(await states(secondary), ['upload 1 synced verified', 'upload 2 synced verified']);
});

test('waits for a checksum that the primary has not computed yet', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  const whole = primary.replicables.get('project_repository 1')!;
  primary.replicables.set('project_repository 1', { ...whole, checksum: null });
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), ['project_repository 1 synced pending']);
  primary.replicables.set('project_repository 1', whole);
  secondary.clock.advance(10);
  await secondary.settle();
  assert.deepEqual(await states(secondary), ['project_repository 1 synced verified']);
});

test('a change on the primary after the copy is not a mismatch', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  const secondary = await startTestSecondary(t, primary.url);
  let looks = 0;
  let pushed: Promise<void> | null = null;
  primary.intercept = (request, response) => {
    // Another push arrives before the second request, with which the copy is verified.
    if (!request.url?.includes('/geo/replicables?replicable_name=project_repository&after_id=0&per_page=1'))
      return false;
    if (request.url.endsWith('per_page=100') || ++looks !== 2) return false;
    primary.intercept = null;
    pushed = primary.commit(1, { 'b.txt': 'b' }).then(() => {
      response.writeHead(200).end(JSON.stringify([...primary.replicables.values()]));
    });
    return true;
  };
  await secondary.pollOnce();
  await pushed;
  assert.deepEqual(await states(secondary), ['project_repository 1 synced verified']);
  assert.ok(!secondary.getLogText().includes('differs from that of the primary'));
  assert.equal((await secondary.listRegistryRows())[0]?.retries, 0);
  await isSame(primary, secondary, 1);
});

test('lists again after a change of scope and deletes copies outside it', async (t) => {
  const primary = await createFakePrimary(t);
  for (const id of [1, 2]) primary.addBlob('upload', id, Buffer.from(`upload ${id}`));
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  const second = primary.replicables.get('upload 2')!;
  primary.replicables.delete('upload 2');
  primary.site.selective_sync_type = 'namespaces';
  primary.site.selective_sync_namespace_ids = [7];
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), ['upload 1 synced verified']);
  assert.equal(await hasBlob(secondary.blobs, second.checksum!), false);
  primary.replicables.set('upload 2', second);
  primary.site.selective_sync_type = null;
  await secondary.pollOnce();
  assert.deepEqual((await states(secondary)).at(-1), 'upload 2 synced verified');
});

test('a disabled site copies and reports nothing, and resumes when enabled', async (t) => {
  const primary = await createFakePrimary(t);
  primary.addBlob('upload', 1, Buffer.from('one'));
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  await secondary.report();
  assert.equal(primary.reports.length, 1);
  primary.site.enabled = false;
  primary.addBlob('upload', 2, Buffer.from('two'));
  await secondary.pollOnce();
  await secondary.report();
  assert.deepEqual(await states(secondary), ['upload 1 synced verified']);
  assert.equal(primary.reports.length, 1);
  primary.site.enabled = true;
  primary.requests.length = 0;
  await secondary.pollOnce();
  assert.deepEqual((await states(secondary)).at(-1), 'upload 2 synced verified');
  assert.ok(!primary.requests.some((asked) => asked.includes('per_page=100') && asked.includes('replicables')));
});

test('copies nothing of a kind with capacity 0', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  primary.addBlob('upload', 1, Buffer.from('one'));
  primary.site.repos_max_capacity = 0;
  primary.site.verification_max_capacity = 0;
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), ['project_repository 1 pending pending', 'upload 1 synced pending']);
});

test('resumes after a process that ended during its work', async (t) => {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  const secondary = await startTestSecondary(t, primary.url);
  const hanging = Promise.withResolvers<void>();
  primary.intercept = ({ url }) => {
    if (!url?.endsWith('git-upload-pack')) return false;
    hanging.resolve();
    return true;
  };
  const round = secondary.pollOnce();
  await hanging.promise;
  assert.deepEqual(await states(secondary), ['project_repository 1 started pending']);
  primary.intercept = null;
  const next = await secondary.restart();
  await round;
  primary.addBlob('upload', 1, Buffer.from('one'));
  await next.pollOnce();
  assert.deepEqual(await states(next), ['project_repository 1 synced verified', 'upload 1 synced verified']);
});

test('reports counts of objects, copies and verified copies, and the lag', async (t) => {
  const primary = await createFakePrimary(t);
  for (const id of [1, 2]) primary.addBlob('lfs_object', id, Buffer.from(`object ${id}`));
  primary.intercept = ({ url }, response) => {
    if (url === '/api/v4/geo/retrieve/lfs_object/2') response.writeHead(500).end();
    return response.writableEnded;
  };
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  primary.addBlob('upload', 1, Buffer.from('one'));
  secondary.clock.advance(90);
  await secondary.report();
  const { status, ...report } = primary.reports[0] as { status: Record<string, unknown> } & Record<string, unknown>;
  assert.deepEqual(
    [report.geo_node_id, report.status_message, report.db_replication_lag_seconds, report.cursor_last_event_id],
    [2, '', 90, 2],
  );
  assert.equal(report.last_event_id, 3);
  const of = (kind: string) =>
    ['', '_registry', '_synced', '_failed', '_verification_total', '_verified', '_verification_failed'].map(
      (part) => status[`${kind}${part}_count`],
    );
  assert.deepEqual(of('lfs_objects'), [2, 2, 1, 1, 1, 1, 0]);
  assert.deepEqual(of('project_repositories'), [0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(of('pages_deployments'), [0, 0, 0, 0, 0, 0, 0]);
  assert.equal(status.projects_count, 0);
  assert.equal(status.container_repositories_replication_enabled, false);
});

test('rejects invalid responses of a primary, and responses without end', async (t) => {
  const primary = await createFakePrimary(t);
  primary.addBlob('upload', 1, Buffer.from('right'));
  const secondary = await startTestSecondary(t, primary.url);
  const forEver = (text: string) => (response: ServerResponse) => {
    const more = () => void (response.destroyed || response.write(text.repeat(65_536), () => setImmediate(more)));
    more();
  };
  const [events, upload] = ['/api/v4/geo/events?after_id=1&per_page=100', '/api/v4/geo/retrieve/upload/1'];
  const answers: Record<string, (response: ServerResponse) => void> = {
    [events]: forEver('['),
    [upload]: forEver('x'),
  };
  primary.intercept = ({ url }, response) => {
    answers[url!]?.(response);
    return url! in answers;
  };
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), []);
  delete answers[events];
  await secondary.pollOnce();
  assert.deepEqual(await states(secondary), ['upload 1 failed pending']);
  // Different content of the same length.
  answers[upload] = (response) => void response.end('wrong');
  secondary.clock.advance(1);
  await secondary.settle();
  assert.deepEqual(await states(secondary), ['upload 1 failed pending']);
  assert.deepEqual(await readdir(secondary.blobs.directory), ['drafts']);
  const [row] = await secondary.listRegistryRows();
  assert.equal(row?.error, 'The file does not match size or checksum of the primary');
  const nonsense = [0, 0, 'x', null].map((id) => ({ ...primary.events[0], id }));
  answers[events] = (response) => void response.end(JSON.stringify(nonsense));
  await secondary.pollOnce();
  assert.equal((await secondary.listRegistryRows()).length, 1);
});

test('a hanging primary does not delay stopping', async (t) => {
  const primary = await createFakePrimary(t);
  const secondary = await startTestSecondary(t, primary.url);
  const requested = Promise.withResolvers<void>();
  primary.intercept = () => {
    requested.resolve();
    return true;
  };
  const round = secondary.pollOnce();
  await requested.promise;
  await secondary.stop();
  await round;
});

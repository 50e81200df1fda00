import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { clock, runJobs } = await world();

test('returns statistics to Reporters on request only', async () => {
  const { project, reporter, guest } = await world({
    project: { readme: true, visibility: 'internal', with: ['reporter', 'guest'] },
  });
  const { statistics } = (await reporter.get(project.at, { statistics: true })).body;
  const { commit_count, repository_size, storage_size, ...none } = statistics;
  assert.equal(commit_count, 1);
  assert.ok(repository_size > 100);
  assert.equal(storage_size, repository_size);
  assert.deepEqual(new Set(Object.values(none)), new Set([0]));
  assert.equal(Object.keys(none).length, 8);
  assert.equal('statistics' in (await reporter.get(project.at)).body, false);
  assert.equal('statistics' in (await guest.get(project.at, { statistics: true })).body, false);
});

test('returns statistics of the latest commit, not cached ones', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  clock.advance(3);
  await runJobs();
  const fetchResult = async () => {
    const [listed] = (await owner.get(`/users/${owner.id}/projects`, { statistics: true })).body;
    return listed.statistics;
  };
  const before = await fetchResult();
  await project.commit({ 'more.txt': 'x'.repeat(100) });
  const after = await fetchResult();
  assert.deepEqual([before.commit_count, after.commit_count], [1, 2]);
  assert.ok(after.repository_size > before.repository_size);
  clock.advance(3);
  await runJobs();
  assert.deepEqual(await fetchResult(), after);
});

test('returns zero for an empty project and counts LFS objects', async () => {
  const { project, owner } = await world({ project: {} });
  const sizes = async () => (await owner.get(project.at, { statistics: true })).body.statistics;
  const { commit_count, storage_size } = await sizes();
  assert.deepEqual([commit_count, storage_size], [0, 0]);
  await project.commit({ '.gitattributes': '*.bin filter=lfs\n' });
  const file = { branch: 'main', content: 'x'.repeat(1000), commit_message: 'x' };
  assert.equal((await owner.post(`${project.repository}/files/a.bin`, file)).status, 201);
  const { lfs_objects_size, repository_size, ...rest } = await sizes();
  assert.deepEqual([lfs_objects_size, rest.storage_size], [1000, repository_size + 1000]);
});

test("returns the total size of a group's projects to administrators", async () => {
  const { group, owner, root, newProject } = await world({ group: {} });
  const [one, other] = [await newProject({ in: group, readme: true }), await newProject({ in: group })];
  await newProject({ in: group });
  clock.advance(3);
  await runJobs();
  await other.commit({ 'a.txt': 'a' });
  const sizeOf = async ({ at }: { at: string }) => (await root.get(at, { statistics: true })).body.statistics;
  const [first, second, all] = [await sizeOf(one), await sizeOf(other), await sizeOf(group)];
  assert.equal(all.repository_size, first.repository_size + second.repository_size);
  assert.equal(all.storage_size, all.repository_size);
  assert.equal(Object.keys(all).length, 9);
  assert.equal('statistics' in (await owner.get(group.at, { statistics: true })).body, false);
});

test('returns the license on request to callers who may read the code', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const fetchResult = async (caller = owner) => {
    const { license_url, license } = (await caller.get(project.at, { license: true })).body;
    return [license_url, license?.key ?? null];
  };
  assert.deepEqual(await fetchResult(), [null, null]);
  await project.commit({ COPYING: 'Ask me.' });
  assert.deepEqual(await fetchResult(), [`${project.web_url}/-/blob/main/COPYING`, 'other']);
  const mit = await readFile(new URL('../../../../LICENSE', import.meta.url), 'utf8');
  await owner.put(`${project.repository}/files/COPYING`, { branch: 'main', content: mit, commit_message: 'x' });
  assert.deepEqual(await fetchResult(), [`${project.web_url}/-/blob/main/COPYING`, 'mit']);
  assert.deepEqual(await fetchResult(guest), [null, null]);
  assert.equal('license' in (await owner.get(project.at)).body, false);
});

test('links the license and the README on the default branch, whatever its name', async () => {
  const { project, owner } = await world({ project: { default_branch: 'fix#1/50%' } });
  await project.commit({ COPYING: 'Ask me.', 'README.md': 'Read me.' }, { branch: 'fix#1/50%' });
  const { license_url, readme_url } = (await owner.get(project.at, { license: true })).body;
  const branch = `${project.web_url}/-/blob/fix%231/50%25`;
  assert.deepEqual([license_url, readme_url], [`${branch}/COPYING`, `${branch}/README.md`]);
});

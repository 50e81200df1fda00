import assert from 'node:assert/strict';
import { chmodSync, globSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { world } from '#test/support/world.ts';

// The permissions of the files of a server, which contain secrets.

const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A new directory, deleted after its servers have stopped. */
async function directory(): Promise<string> {
  const path = await scratchDirectory('hearth-rights-');
  after(() => rmSync(path, { recursive: true }));
  return path;
}

test('files of the server are private for any umask', async (t) => {
  const dataDir = join(await directory(), 'data');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const { project, logged } = await world({ env: { HEARTH_DATA_DIR: dataDir }, project: { readme: true } });
  await project.commit({ 'a.txt': 'a' });
  const kept = globSync('**', { cwd: dataDir, withFileTypes: true }).map(({ parentPath, name }) =>
    join(parentPath, name),
  );
  assert.ok(kept.some((path) => path.includes('/repositories/')));
  assert.deepEqual(
    kept.filter((path) => statSync(path).mode & 0o077).map((path) => `${path} ${rights(path)}`),
    [],
  );
  assert.equal(rights(dataDir), '700');
  assert.doesNotMatch(logged(), /Other users of this machine/);
});

test('logs a warning for wider file permissions and does not change them', async () => {
  const dataDir = await directory();
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'notes'), '');
  // An earlier server may have changed the umask, so the mode is set here.
  chmodSync(join(dataDir, 'notes'), 0o644);
  const { logged } = await world({ env: { HEARTH_DATA_DIR: dataDir } });
  const warning = logged()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ paths }) => paths !== undefined);
  assert.equal(warning?.level, 'warn');
  assert.deepEqual(warning.paths, [`${dataDir} (755)`, `${join(dataDir, 'notes')} (644)`]);
  assert.equal(rights(dataDir), '755');
});

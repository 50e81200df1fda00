import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseVersion, requireGit } from './version.ts';

test('parses the versions that git and its vendors print', () => {
  const printed: [string, number, number, string][] = [
    ['git version 2.38.0\n', 2, 38, '2.38.0'],
    ['git version 2.39.5 (Apple Git-154)\n', 2, 39, '2.39.5'],
    ['git version 2.45.2.windows.1\r\n', 2, 45, '2.45.2.windows.1'],
    ['git version 2.51.0.rc1\n', 2, 51, '2.51.0.rc1'],
    ['git version 2.51.0.rc1.10.gabc1234', 2, 51, '2.51.0.rc1.10.gabc1234'],
    ['git version 3.0', 3, 0, '3.0'],
  ];
  for (const [output, major, minor, text] of printed) assert.deepEqual(parseVersion(output), { major, minor, text });
  for (const output of ['', 'git version', 'hub version 2.14.2', 'git version next']) {
    assert.equal(parseVersion(output), null, output);
  }
});

test('the git that runs these tests is new enough', async () => {
  await requireGit();
});

test('a git that ended in time is accepted, however late the server notices', {
  skip: process.platform === 'linux' ? false : 'needs /proc',
}, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-git-'));
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
    rmSync(directory, { recursive: true });
  });
  const pidFile = join(directory, 'pid');
  writeFileSync(join(directory, 'git'), `#!/bin/sh\necho git version 2.51.0\necho $$ > ${pidFile}\n`, { mode: 0o755 });
  process.env.PATH = `${directory}:${PATH}`;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const required = requireGit();
  // Blocks the event loop until git is a zombie.
  const hasEnded = () =>
    existsSync(pidFile) &&
    /\) Z /.test(readFileSync(`/proc/${readFileSync(pidFile, 'utf8').trim() || 'self'}/stat`, 'utf8'));
  while (!hasEnded());
  t.mock.timers.tick(60_000);
  await required;
});

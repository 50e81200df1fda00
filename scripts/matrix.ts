// `npm run matrix` writes test/matrix.txt (which roles may call which endpoint), src/authorization/abilities.txt (abilities by
// role), test/resource-imports.txt (imports between resources) and test/round-trips.txt (database queries of reads).
// `npm run matrix -- src/api/planning/milestones` calls only the endpoints of this folder and keeps the other lines of the files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative, resolve } from 'node:path';

const tests = [
  'src/authorization/abilities.unit.test.ts',
  'test/layers.unit.test.ts',
  'test/matrix.test.ts',
  'test/round-trips.test.ts',
];
const root = join(import.meta.dirname, '..');
const [folder] = process.argv.slice(2);
const selection =
  folder === undefined ? {} : { HEARTH_MATRIX_FOLDER: relative(join(root, 'src/api'), resolve(folder)) };
const child = spawn(process.execPath, ['--test', ...tests], {
  cwd: root,
  env: { ...process.env, HEARTH_WRITE_GOLDEN: '1', ...selection },
  stdio: 'inherit',
});
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;

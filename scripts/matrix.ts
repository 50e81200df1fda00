// `npm run matrix` writes test/matrix.txt (which roles may call which endpoint), src/authorization/abilities.txt (abilities by
// role), test/resource-imports.txt (imports between resources) and test/round-trips.txt (database queries of reads).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const tests = [
  'src/authorization/abilities.unit.test.ts',
  'test/layers.unit.test.ts',
  'test/matrix.test.ts',
  'test/round-trips.test.ts',
];
const child = spawn(process.execPath, ['--test', ...tests], {
  cwd: join(import.meta.dirname, '..'),
  env: { ...process.env, HEARTH_WRITE_GOLDEN: '1' },
  stdio: 'inherit',
});
const [code] = await once(child, 'close');
process.exitCode = code ?? 1;

// `npm run matrix`: writes test/matrix.txt (who may call which endpoint), src/authorization/abilities.txt (who may do what) and
// test/resource-imports.txt (which family uses which) and test/round-trips.txt (what a read asks the database).
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

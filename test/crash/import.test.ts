import { test } from 'node:test';
import { testPlace } from '../engines/engine.ts';
import { world } from '../support/world.ts';
import { importing } from './import.ts';

const readNumber = (name: string, usual: number) => Number(process.env[name] ?? usual);

test('an import equals the source without duplicates when its server is killed repeatedly', async () => {
  await using place = await testPlace();
  await importing({
    kills: readNumber('HEARTH_TEST_IMPORT_KILLS', 2),
    issues: readNumber('HEARTH_TEST_IMPORT_ISSUES', 4),
    commits: readNumber('HEARTH_TEST_IMPORT_COMMITS', 5),
    dataDir: place.dataDir,
    databaseUrl: place.url,
    there: await world(),
  });
});

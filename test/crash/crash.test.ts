import { test } from 'node:test';
import { engine, testPlace } from '../engines/engine.ts';
import { crash } from './crash.ts';

// Beside other processes a left intent is settled when its lease has run out, a minute later: the chain of events is
// whole only then, so that PostgreSQL is looked at by the recovery's own tests.
test('a server killed in the middle of writes and pushes loses nothing', { skip: engine === 'postgres' }, async () => {
  await using place = await testPlace();
  await crash({ rounds: 4, dataDir: place.dataDir, databaseUrl: place.url });
});

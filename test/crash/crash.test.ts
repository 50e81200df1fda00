import { test } from 'node:test';
import { testPlace } from '../engines/engine.ts';
import { crash } from './crash.ts';

// On PostgreSQL, one of two servers that share the database is killed; the other keeps running.
test('a server killed during writes and pushes loses nothing', async () => {
  await using place = await testPlace();
  await crash({ rounds: 4, dataDir: place.dataDir, databaseUrl: place.url });
});

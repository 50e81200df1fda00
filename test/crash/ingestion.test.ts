import { test } from 'node:test';
import { testPlace } from '../engines/engine.ts';
import { storm } from './ingestion.ts';

// On PostgreSQL, one of two servers that share the database is killed; the other keeps running.
test('a server killed during alerts and error reports loses no accepted one and counts none twice', async () => {
  await using place = await testPlace();
  await storm({ rounds: 2, dataDir: place.dataDir, databaseUrl: place.url });
});

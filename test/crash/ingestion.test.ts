import { test } from 'node:test';
import { testPlace } from '../engines/engine.ts';
import { storm } from './ingestion.ts';

// On PostgreSQL, one of two servers that share the database is killed; the other keeps running.
test('a server killed in a storm of alerts and reports loses none that it has taken, and counts none twice', async () => {
  await using place = await testPlace();
  await storm({ rounds: 2, dataDir: place.dataDir, databaseUrl: place.url });
});

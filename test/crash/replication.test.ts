import { test } from 'node:test';
import { testPlace } from '../engines/engine.ts';
import { followingWhileKilled } from './replication.ts';

// HEARTH_TEST_KILLS sets the number of kills.
test('a secondary killed during writes to the primary finally has complete, identical copies', async () => {
  await using primary = await testPlace();
  await using secondary = await testPlace();
  const rounds = Number(process.env.HEARTH_TEST_KILLS ?? 2);
  await followingWhileKilled({ rounds, primary, secondary });
});

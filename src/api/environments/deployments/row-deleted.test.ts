import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowDeleted } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { EnvironmentDetails, EnvironmentInList, StoppedEnvironment } from '../environments/entities.ts';
import { Approval, Deployment, DeploymentInList } from './entities.ts';

// A read that finds a row deleted runs again as a whole (`RowDeleted`).

test('reads again if an environment, project or user is deleted during the read', async () => {
  await using database = await testDatabase();
  const to = { db: database.reader, params: {}, url: '', tier: 'ultimate', caller: { user: null } } as never;
  const gone = 987_654;
  const deployment = { id: 1, environment_id: gone, project_id: gone, user_id: null, job_id: null } as never;
  const environment = { id: 1, project_id: gone, name: 'a' } as never;
  for (const showing of [
    () => DeploymentInList.serializeAll([deployment], to),
    () => Deployment.serializeAll([deployment], to),
    () => Approval.serializeAll([{ id: 1, user_id: gone } as never], to),
    () => EnvironmentInList.serializeAll([environment], to),
    () => EnvironmentDetails.serializeAll([environment], to),
    () => StoppedEnvironment.serializeAll([environment], to),
  ]) {
    await assert.rejects(async () => showing(), RowDeleted);
  }
});

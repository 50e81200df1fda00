import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { isFailure } from '#runtime/failure.ts';
import { world } from '#test/support/world.ts';
import { keepIntentLease } from './intents.ts';
import { beginMove } from './move-refs.ts';
import { recoverInterruptedRefUpdates } from './recovery.ts';

const LEASE_SECONDS = 60;

test('extends the lease while git moves refs', async () => {
  const { server, clock, project: given } = await world({ project: {} });
  const { services } = server;
  const oldId = await given.commit({ a: 'one' });
  const newId = await given.commit({ a: 'two' }, { branch: 'draft' });
  const project = await findProject(services.database.reader, ANONYMOUS, String(given.id));
  const changes = [{ ref: 'refs/heads/main', oldId, newId }];
  const intent = await beginMove(services, { project: project!, actor: { server: true, userId: null }, changes });
  assert.ok(!isFailure(intent));
  mock.timers.enable({ apis: ['setInterval'] });
  for (let minutes = 0; minutes < 3; minutes++) {
    const letGo = keepIntentLease(services, intent);
    clock.advance(LEASE_SECONDS - 1);
    mock.timers.tick((LEASE_SECONDS * 1000) / 3);
    await letGo();
    assert.equal(await recoverInterruptedRefUpdates(services, { isOnlyProcess: false }), 0);
  }
  mock.timers.reset();
  clock.advance(LEASE_SECONDS + 1);
  assert.equal(await recoverInterruptedRefUpdates(services, { isOnlyProcess: false }), 1);
});

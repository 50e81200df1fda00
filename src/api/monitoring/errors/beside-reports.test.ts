import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { done, type Project, type World, world } from '../../../../test/world.ts';

// What people change while reports keep coming (contract/monitoring.md §12 "Atomic").

/** Senders that report the same error over and over, until they are told to end: how often that was taken. */
async function reporting({ anonymous }: World, project: Project) {
  const { public_key } = (await done(project.owner.post(`${project.at}/error_tracking/client_keys`))).body;
  const path = `//errortracking/api/v1/projects/api/${project.id}/store/?sentry_key=${public_key}`;
  let running = true;
  let taken = 0;
  const send = async () => {
    const raw = JSON.stringify({ event_id: randomUUID(), exception: [{ type: 'Storm' }] });
    const { status } = await anonymous.send('POST', path, { raw });
    assert.equal(status, 200);
    taken++;
  };
  await send();
  const senders = Array.from({ length: 20 }, async () => {
    while (running) await send();
  });
  return async () => {
    running = false;
    await Promise.all(senders);
    return taken;
  };
}

test('an error is resolved, and limits are changed, in the middle of its reports', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer } = here;
  const end = await reporting(here, project);
  const [{ id }] = (await maintainer.get(`${project.at}/error_tracking/errors`)).body;
  for (let time = 0; time < 8; time++) {
    const settings = { events_per_minute: 1_000_000 - time };
    const changed = await Promise.all([
      maintainer.put(`${project.at}/error_tracking/errors/${id}`, { status: 'resolved' }),
      maintainer.put(`${project.at}/error_tracking/ingestion_settings`, settings),
    ]);
    assert.deepEqual(
      changed.map(({ status }) => status),
      [200, 200],
    );
  }
  const taken = await end();
  assert.equal((await maintainer.get(`${project.at}/error_tracking/errors/${id}`)).body.count, taken);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents, type RecordedEventName } from '#activity/recorded-activity.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Build } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { world } from './support/world.ts';

// An endpoint records exactly the activity that it declares: the test compares the activity log before and after each example
// and its jobs. Activity that only some calls record needs an example of such a call.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');
const { reader } = here.server.services.database;

async function recordedBy(endpoint: Endpoint, build: Build): Promise<RecordedEventName[]> {
  const example = await build(scene);
  await here.runJobs();
  const mark = await markRecordedEvents(reader);
  const { status, text } = await ask(here, endpoint, example, scene.callers[example.by]);
  assert.ok(status < 400 || status === endpoint.response.status, `the example is refused with ${status}: ${text}`);
  await here.runJobs();
  const recorded = await listRecordedSince(reader, mark);
  return recorded;
}

for (const { endpoint, builds } of ourShare(await allExamples(here.server.registry))) {
  const isRead = endpoint.method === 'GET' || endpoint.method === 'HEAD';
  test(`${endpoint.name} records ${isRead ? 'nothing' : 'what it declares'}`, async () => {
    const [plain, ...others] = builds;
    const recorded = await recordedBy(endpoint, plain);
    assert.deepEqual(recorded, [...new Set(recorded)], 'the plain call records nothing twice');
    // A call that reaches further may record the same of several things.
    for (const build of others) recorded.push(...(await recordedBy(endpoint, build)));
    assert.deepEqual([...new Set(recorded)].sort(), endpoint.activity.toSorted());
  });
}

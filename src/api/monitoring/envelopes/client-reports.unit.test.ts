import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_REPORTS } from './client-reports.testing.ts';
import { getUserKey, parseEvent } from './event-reader.ts';
import { computeGroupHash } from './report.ts';

const parse = (event: object) =>
  parseEvent(event as never, { receivedAt: '2026-02-13T10:28:16.000Z', address: 'sender' });

for (const { client, events } of CLIENT_REPORTS) {
  test(`reads title, culprit, level and user of the events of ${client}`, () => {
    for (const [event, { type = 'error', title, culprit, level, user = '42' }] of events) {
      const parsed = parse(event);
      const parsedTitle = parsed.type === 'error' ? `${parsed.name}: ${parsed.message}` : parsed.name;
      assert.deepEqual([parsed.type, parsedTitle, parsed.culprit], [type, title, culprit]);
      assert.deepEqual([parsed.level, getUserKey(parsed.user), parsed.release], [level, user, 'shop@1.2.3'], title);
    }
    assert.equal(new Set(events.map(([event]) => computeGroupHash(parse(event)))).size, events.length);
  });
}

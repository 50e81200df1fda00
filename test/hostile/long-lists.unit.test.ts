import assert from 'node:assert/strict';
import { attack, startTarget } from './attack.ts';

// Lists whose rows hold as much text as they may.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'victim' });
const { iid } = await target.done('POST', `/projects/${id}/issues`, { title: 'Long' });
const body = 'x'.repeat(2 ** 20);
for (let count = 0; count < 24; count++) await target.done('POST', `/projects/${id}/issues/${iid}/notes`, { body });

attack('lists of very long texts that many ask for at once are never in memory', target, async () => {
  const lists = await Promise.all(
    Array.from({ length: 8 }, () => target.send('GET', `/projects/${id}/issues/${iid}/notes?per_page=100`)),
  );
  for (const { status, text } of lists) assert.deepEqual([status, text.length > 24 * body.length], [200, true]);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { attack, head, startTarget } from './attack.ts';

// Lists whose rows contain the maximum length of text.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'victim' });
const { iid } = await target.done('POST', `/projects/${id}/issues`, { title: 'Long' });
const body = 'x'.repeat(2 ** 20);
for (let count = 0; count < 24; count++) await target.done('POST', `/projects/${id}/issues/${iid}/notes`, { body });

attack('does not buffer lists of very long texts for concurrent requests', target, async () => {
  const lists = await Promise.all(
    Array.from({ length: 8 }, () => target.send('GET', `/projects/${id}/issues/${iid}/notes?per_page=100`)),
  );
  for (const { status, text } of lists) assert.deepEqual([status, text.length > 24 * body.length], [200, true]);
});

// The batch response repeats the client's credentials for each object: 150 MB for a request of 1 MB.
const objects = Array.from({ length: 10_000 }, (_, at) => ({ oid: String(at).padStart(64, '0'), size: at }));
const proof = `${'n'.repeat(11_000)}:${target.asRoot['PRIVATE-TOKEN']}`;

attack('does not buffer LFS batch responses with 10,000 long credentials', target, async () => {
  const body = JSON.stringify({ operation: 'upload', objects });
  const headers = { Authorization: `Basic ${Buffer.from(proof).toString('base64')}`, 'Content-Length': body.length };
  const batch = head('POST', '/root/victim.git/info/lfs/objects/batch', headers);
  const asked = Array.from({ length: 8 }, () => target.open(batch, body));
  const answered = await Promise.all(asked.map((socket) => once(socket, 'data').finally(() => socket.pause())));
  for (const [answer] of answered) assert.match(String(answer), /^HTTP\/1.1 200 /);
  for (const socket of asked) socket.destroy();
});

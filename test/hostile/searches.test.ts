import { once } from 'node:events';
import { attack, head, startTarget } from './attack.ts';

// Anonymous searches in texts of one MiB, in which the searched word occurs everywhere but for its end.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'victim', visibility: 'public' });
const description = 'a'.repeat(2 ** 20);

/** Searches that differ, so that none is answered from a cache. */
let searches = 0;
const openSearch = (path: string) => {
  const word = `${'a'.repeat(900 - (searches++ % 500))}b`;
  return target.open(head('GET', `/api/v4/projects/${id}/${path}${word}`));
};

async function createIssues(count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    await target.done('POST', `/projects/${id}/issues`, { title: `${at}`, description });
}

await createIssues(10);

attack('text searches in a small database do not delay other requests', target, async () => {
  const sockets = Array.from({ length: 8 }, () => openSearch('issues?search='));
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  for (const socket of sockets) socket.destroy();
});

attack('a search ends when its client disconnects', target, async () => {
  await createIssues(searches < 100 ? 26 : 0);
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: 40 }, () => openSearch('issues_statistics?search='));
    // The searches are running or waiting when this response arrives.
    await target.done('GET', '/version');
    for (const socket of sockets) socket.destroy();
  }
  // Behind all of them.
  const last = openSearch('issues?search=');
  await once(last, 'data');
  last.destroy();
});

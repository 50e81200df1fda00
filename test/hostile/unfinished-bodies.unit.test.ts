import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, head, startTarget } from './attack.ts';

// Thousands of small bodies of one network that never end.

const target = await startTarget({ idleTimeout: 60_000, env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
const CLIENTS = 3000;
const LENGTH = 65_000;

attack('limits the total memory of small incomplete bodies', target, async () => {
  const headers = { 'X-Forwarded-For': '203.0.113.9', 'Content-Type': 'application/json', 'Content-Length': LENGTH };
  const start = Buffer.alloc(LENGTH - 1, ' ');
  const sockets: Socket[] = [];
  // Works in groups: thousands of connections opened at once would be measured as one long event loop turn.
  const inGroups = async (step: (at: number) => void) => {
    for (let at = 0; at < CLIENTS; at++) {
      step(at);
      if (at % 50 === 0) await pause(20);
    }
  };
  await inGroups(() => sockets.push(target.open(head('POST', '/api/v4/projects', headers), start)));
  await inGroups((at) => sockets[at]!.destroy());
});

// `node bench/memory.ts DATA_DIR [SECONDS QUIET]`: resident memory on the data of `bench/seed.ts`: idle, after reads of
// 100,000 different projects (for at most SECONDS), after large bodies, and each time again after an idle minute (or QUIET
// seconds).
import { setTimeout as pause } from 'node:timers/promises';
import { startHearth } from './processes.ts';
import { readEach } from './reads.ts';
import { SEED_TOKEN } from './seed.ts';

const [dataDir = '', seconds = '600', quiet = '60'] = process.argv.slice(2);
const hearth = await startHearth(dataDir, { HEARTH_LOG_LEVEL: 'info' });
const headers = { 'PRIVATE-TOKEN': SEED_TOKEN, 'Content-Type': 'application/json' };
const api = `${hearth.address}/api/v4`;

function say(name: string): void {
  process.stdout.write(`${name.padEnd(40)} ${hearth.memory().toFixed(0)} MiB\n`);
}

/** Three concurrent uploads of 60 MB each; more are rejected. */
async function sendLargeBodies(): Promise<void> {
  const name = `bodies-${Date.now()}`;
  const body = JSON.stringify({ name, initialize_with_readme: true });
  const project = (await (await fetch(`${api}/projects`, { method: 'POST', headers, body })).json()) as { id: number };
  const content = 'x'.repeat(60_000_000);
  const send = async (index: number) => {
    const order = JSON.stringify({ branch: 'main', commit_message: 'Large', content });
    const url = `${api}/projects/${project.id}/repository/files/large-${index}.txt`;
    const answer = await fetch(url, { method: 'POST', headers, body: order });
    if (answer.status !== 201) process.stdout.write(`${answer.status} ${(await answer.text()).slice(0, 200)}\n`);
  };
  await Promise.all([0, 1, 2].map(send));
}

await pause(2000);
say('idle after start');
const read = await readEach(hearth, 100_000, Number(seconds));
say(`after ${read} reads of projects`);
await pause(Number(quiet) * 1000);
say(`${quiet} s later`);
await sendLargeBodies();
say('after large bodies');
await pause(Number(quiet) * 1000);
say(`${quiet} s later`);
await hearth.stop();

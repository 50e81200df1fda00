import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clearResponseCache } from '#http/server/response/response-cache.ts';
import { nextCounterValue } from '#test/support/counters.ts';
import { allExamples } from './examples/all.ts';
import { ask } from './examples/call.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { golden, isSelected } from './support/golden.ts';
import { statements } from './support/statement-watch.ts';
import { world } from './support/world.ts';

// Counts the statements of each read. On PostgreSQL each is a round trip, unless its result is cached since the last commit.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

const heading = `# How many statements each GET asks the database for, its example in src/api/*/*/examples.ts called a second time, after a
# commit. On PostgreSQL each is a round trip, unless it was read since the last commit, which one question tells.
# Written by \`npm run matrix\`; a larger number is a slower endpoint.
`;

test('every read runs the number of statements in round-trips.txt', async () => {
  const file = join(import.meta.dirname, 'round-trips.txt');
  const written = readFileSync(file, 'utf8').split('\n');
  const lines: string[] = [];
  for (const { endpoint, builds } of await allExamples(here.server.registry)) {
    if (endpoint.method !== 'GET') continue;
    if (!isSelected(endpoint)) {
      lines.push(...written.filter((line) => line.endsWith(` ${endpoint.name}`)));
      continue;
    }
    const example = await builds[0](scene);
    const call = () => ask(here, endpoint, example, scene.callers[example.by]);
    await call();
    await here.server.services.tokenUsage.waitForFlush();
    await here.server.services.database.transaction((tx) => nextCounterValue(tx, 'round-trips'));
    // A cached response runs no statements, and commits of other tests decide whether it is cached.
    clearResponseCache(here.server.services.config);
    lines.push(`${String(await statements(here, call)).padStart(4)}  ${endpoint.name}`);
  }
  golden(file, `${heading}\n${lines.join('\n')}\n`);
});

// Makes a Go client of the OpenAPI document (oapi-codegen), compiles a program against it, and runs it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './step.ts';

const { HEARTH, CLIENT, CLIENT_CACHE } = process.env;
// Kept, so that Go compiles what has not changed only once.
const place = join(CLIENT_CACHE!, 'generated');
mkdirSync(place, { recursive: true });

function run(program: string, ...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(program, args, { cwd: place, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const MODULE = `module generated
go 1.24
require github.com/oapi-codegen/runtime v1.9.0
`;

await step('the document becomes a Go client', async () => {
  const answer = await fetch(`${HEARTH}/api/v4/openapi.json`);
  writeFileSync(join(place, 'openapi.json'), await answer.text());
  writeFileSync(join(place, 'go.mod'), MODULE);
  copyFileSync(join(import.meta.dirname, 'oapi-client.go'), join(place, 'main.go'));
  run(CLIENT!, '-generate', 'types,client', '-package', 'main', '-o', 'client.go', 'openapi.json');
});
await step('a program against it compiles', () => {
  run('go', 'mod', 'tidy');
  run('go', 'build', '-o', 'drive', '.');
});
await step('and drives projects, files, commits and issues', () => {
  const [titles, ...states] = run(join(place, 'drive')).trim().split('\n');
  assert.equal(titles, 'More,Write,Initial commit');
  assert.deepEqual(states, ['closed', 'Broken']);
});

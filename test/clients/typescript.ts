// Makes a TypeScript client of the OpenAPI document (openapi-typescript, openapi-fetch), compiles a program against it as
// strictly as TypeScript can, and runs it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './step.ts';

const { HEARTH, TOKEN, CLIENT_CACHE } = process.env;
const modules = join(CLIENT_CACHE!, 'node_modules');
// Below the cache, so that its modules are found.
const place = mkdtempSync(join(CLIENT_CACHE!, 'run-'));
const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: place, encoding: 'utf8' });

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const client = createClient<paths>({ baseUrl: ${JSON.stringify(HEARTH)}, headers: { 'PRIVATE-TOKEN': ${JSON.stringify(TOKEN)} } });

const made = await client.POST('/api/v4/projects', { body: { name: 'generated', initialize_with_readme: true } });
if (made.data === undefined) throw new Error(JSON.stringify(made.error));
const id: string = String(made.data.id);

const branches = await client.GET('/api/v4/projects/{id}/repository/branches', { params: { path: { id }, query: { per_page: 5 } } });
const names: string[] = (branches.data ?? []).map(({ name }) => name);

const written = await client.POST('/api/v4/projects/{id}/repository/files/{file_path}', {
  params: { path: { id, file_path: 'a/b.txt' } },
  body: { branch: 'main', commit_message: 'Write', content: 'text' },
});
const committed = await client.POST('/api/v4/projects/{id}/repository/commits', {
  params: { path: { id } },
  body: { branch: 'main', commit_message: 'More', actions: [{ action: 'create', file_path: 'c.txt', content: 'c' }] },
});
const issue = await client.POST('/api/v4/projects/{id}/issues', { params: { path: { id } }, body: { title: 'Broken', labels: 'bug' } });
const iid = issue.data?.iid;
if (iid === undefined) throw new Error(JSON.stringify(issue.error));
const closed = await client.PUT('/api/v4/projects/{id}/issues/{issue_iid}', {
  params: { path: { id, issue_iid: iid } },
  body: { state_event: 'close' },
});
const issues = await client.GET('/api/v4/projects/{id}/issues', { params: { path: { id }, query: { state: 'closed' } } });
const titles: string[] = (issues.data ?? []).map(({ title }) => title);
const history = await client.GET('/api/v4/projects/{id}/repository/commits', { params: { path: { id } } });
const messages: string[] = (history.data ?? []).map(({ title }) => title);
const users = await client.GET('/api/v4/users', { params: { query: { search: 'root' } } });
console.log(JSON.stringify([names, written.response.status, committed.data?.title, closed.data?.state, titles, messages, users.data?.length]));
`;

const STRICT = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
const MODULES = ['--module', 'nodenext', '--target', 'es2023', '--allowImportingTsExtensions', '--noEmit'];

try {
  symlinkSync(modules, join(place, 'node_modules'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  writeFileSync(join(place, 'client.ts'), PROGRAM);
  await step('the document becomes types', async () => {
    const answer = await fetch(`${HEARTH}/api/v4/openapi.json`);
    writeFileSync(join(place, 'openapi.json'), await answer.text());
    run(join(modules, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'api.d.ts');
  });
  await step('a program against them compiles strictly', () => {
    try {
      run(join(modules, 'typescript/bin/tsc'), ...STRICT, ...MODULES, 'client.ts');
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout);
    }
  });
  await step('and does what it says', () => {
    assert.deepEqual(JSON.parse(run('client.ts')), [
      ['main'],
      201,
      'More',
      'closed',
      ['Broken'],
      ['More', 'Write', 'Initial commit'],
      1,
    ]);
  });
} finally {
  rmSync(place, { recursive: true, force: true });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { isReservedName } from '#authentication/users/usernames.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { ADDRESSES, matchAddress, type PageName, RESERVED_SEGMENTS, toApiPath, toPath } from './addresses.ts';

test('finds the page of an address, with or without a slash at the end', () => {
  const pages: [path: string, name: PageName, values: Record<string, string>][] = [
    ['/', 'home', {}],
    ['/explore', 'explore', {}],
    ['/explore/', 'explore', {}],
    ['/group/sub/project', 'project', { project: 'group/sub/project' }],
    ['/group/project/-/branches', 'branches', { project: 'group/project' }],
    ['/group/project/-/tree/main', 'tree', { project: 'group/project', ref_path: 'main' }],
    ['/g/p/-/tree/main/a%20b/-/tags/', 'tree', { project: 'g/p', ref_path: 'main/a b/-/tags' }],
    ['/g/p/-/blob/fix/1/c%23.md', 'file', { project: 'g/p', ref_file: 'fix/1/c#.md' }],
    ['/mira.o', 'user', { username: 'mira.o' }],
    ['/groups/kitchen/stoves', 'group', { group: 'kitchen/stoves' }],
    ['/groups/new', 'group', { group: 'new' }],
    ['/-/groups/new', 'newGroup', {}],
    ['/g/p/-/commits/v1.0', 'commits', { project: 'g/p', ref: 'v1.0' }],
    ['//g///p/-/tags//', 'tags', { project: 'g/p' }],
  ];
  for (const [path, name, values] of pages) assert.deepEqual(matchAddress(path), { name, values }, path);
});

test('finds no page for other paths', () => {
  const paths = [
    '',
    'explore',
    '/groups',
    '/groups/-/a',
    '/g/p/-/nothing',
    '/g/p/-',
    '/-/g/p',
    '/api/v4/projects',
    '/users/sign_in',
    '/g/%',
    '/-/web/app.js',
    '/g/p/-/tree',
    // Links to these paths would lead to another server, or out of the base path.
    '/%2Fevil.test/p',
    '/g/%2Fp',
    '/%2Fevil.test',
    '/groups/%2Fevil.test',
    '/..%2f..%2fp',
    '/%2E%2E/p/-/tags',
  ];
  for (const path of paths) assert.equal(matchAddress(path), null, path);
});

test('the path of each page leads to it', () => {
  for (const [name, { path }] of Object.entries(ADDRESSES)) {
    const parameters = path.match(/(?<=[:*])\w+/g) ?? [];
    const values = Object.fromEntries(
      parameters.map((key) => [key, key === 'project' ? 'group/a project' : 'fix 1#b']),
    );
    assert.deepEqual(matchAddress(toPath(name as PageName, values)), { name, values });
  }
});

test('the API path names the project as one segment', () => {
  assert.equal(toApiPath('tags', { project: 'g/p' }), '/projects/g%2Fp/repository/tags');
});

test('no user or group, and so no project, begins with a reserved segment', () => {
  for (const segment of RESERVED_SEGMENTS) assert.ok(isReservedName(segment), segment);
});

test('no other endpoint that a browser opens is at the address of a page', () => {
  const paths = createRegistry(resourceModules)
    .endpoints.filter(({ method, outsideApi, htmlOnly }) => method === 'GET' && outsideApi && !htmlOnly)
    .map(({ path }) => path)
    .filter((path) => path !== '/' && !path.startsWith('/*') && matchAddress(path) !== null);
  assert.deepEqual(paths, []);
});

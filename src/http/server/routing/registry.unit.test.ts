import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { family } from '#http/endpoint/resource-module.ts';
import { text } from '#http/endpoint/responses.ts';
import { createRegistry } from './registry.ts';

const plain = { summary: 'Do it', access: open(), response: text, handle: () => 'x' } as const;

const registry = createRegistry({
  projects: family({
    endpoints: {
      listProjects: endpoint({ get: '/projects', ...plain }),
      readProject: endpoint({ get: '/projects/:id', ...plain }),
      updateProject: endpoint({ put: '/projects/:id', ...plain }),
      readFile: endpoint({ get: '/projects/:id/files/:file_path', ...plain }),
      readArtifact: endpoint({ get: '/projects/:id/artifacts/*path', ...plain }),
      probe: endpoint({ head: '/projects/:id/probe', ...plain }),
      notAnEndpoint: { some: 'constant' },
    },
  }),
  users: family({
    endpoints: {
      readUser: endpoint({ get: '/users/:id(^\\d+$)', ...plain }),
      listEvents: endpoint({ get: '/users/:id/events', ...plain }),
    },
  }),
  git: family({ endpoints: { readRefs: endpoint({ get: '/*repository_path.git/info/refs', ...plain, root: true }) } }),
});

const find = (path: string, method = 'GET') => {
  const found = registry.find(method, path);
  return found && [found.endpoint.name, { ...found.path }];
};

test('endpoints take their names from their exports and their place from the folder', () => {
  assert.equal(registry.endpoints.length, 9);
  assert.deepEqual(
    registry.endpoints.slice(0, 2).map(({ name, source }) => [name, source]),
    [
      ['listProjects', 'projects/endpoints.ts'],
      ['readProject', 'projects/endpoints.ts'],
    ],
  );
});

test('segments are split first and decoded then', () => {
  const files: [path: string, file: string][] = [
    ['lib%2Fa.rb', 'lib/a.rb'],
    ['a%252Fb', 'a%2Fb'],
    ['a%25', 'a%'],
    ['a%3Bb%3Fc%23d', 'a;b?c#d'],
    ['a+b%20c', 'a+b c'],
    ['%2E%2E', '..'],
    ['package.json', 'package.json'],
    ['%C3%A9', 'é'],
    ['x'.repeat(8000), 'x'.repeat(8000)],
  ];
  for (const [segment, file_path] of files) {
    assert.deepEqual(find(`/api/v4/projects/g%2Fp/files/${segment}`), ['readFile', { id: 'g/p', file_path }]);
  }
});

test('an unencoded slash is another path', () => {
  for (const path of ['/api/v4/projects/g/p', '/api/v4/projects//files/a', '/projects/1', '/', '*']) {
    assert.equal(find(path), null, path);
    assert.deepEqual(registry.methods(path), [], path);
  }
});

test('slashes in a row are one, one at the end is none', () => {
  assert.deepEqual(find('/api/v4//projects///1'), find('/api/v4/projects/1'));
  assert.deepEqual(find('/api/v4/projects/1/'), find('/api/v4/projects/1'));
  assert.notEqual(find('/api/v4/projects/1/'), null);
});

test('a parameter for digits takes nothing else', () => {
  assert.deepEqual(find('/api/v4/users/12'), ['readUser', { id: '12' }]);
  for (const id of ['x', '-1', '1.5', '1%0A', '']) assert.equal(find(`/api/v4/users/${id}`), null, id);
  assert.deepEqual(find('/api/v4/users/mira/events'), ['listEvents', { id: 'mira' }]);
});

test('the rest of a path has a name', () => {
  assert.deepEqual(find('/api/v4/projects/1/artifacts/a/b%20c'), ['readArtifact', { id: '1', path: 'a/b c' }]);
  assert.equal(find('/api/v4/projects/1/artifacts/'), null);
});

test('what stands before a known tail may be nested', () => {
  assert.deepEqual(find('/a/b/c.git/info/refs'), ['readRefs', { repository_path: 'a/b/c' }]);
  assert.deepEqual(find('/a%20b/c.git/info/refs'), ['readRefs', { repository_path: 'a b/c' }]);
  assert.equal(find('/.git/info/refs'), null);
  assert.equal(find('/%ff.git/info/refs'), null);
});

test('HEAD is answered by the GET, unless it has an endpoint of its own', () => {
  assert.deepEqual(find('/api/v4/projects/1', 'HEAD'), ['readProject', { id: '1' }]);
  assert.deepEqual(find('/api/v4/projects/1/probe', 'HEAD'), ['probe', { id: '1' }]);
  assert.equal(find('/api/v4/projects/1/probe'), null);
});

test('the methods of a path', () => {
  assert.deepEqual(registry.methods('/api/v4/projects/1'), ['GET', 'PUT', 'HEAD']);
  assert.deepEqual(registry.methods('/api/v4/projects/1/probe'), ['HEAD']);
  assert.deepEqual(registry.methods('/a/b.git/info/refs'), ['GET', 'HEAD']);
  assert.equal(find('/api/v4/projects/1', 'PROPFIND'), null);
});

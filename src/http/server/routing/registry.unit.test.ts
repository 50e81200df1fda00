import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { text } from '#http/endpoint/responses.ts';
import { createRegistry } from './registry.ts';

const plain = { summary: 'Do it', access: open(), response: text, handle: () => 'x' } as const;

const registry = createRegistry({
  projects: resourceModule({
    endpoints: {
      listProjects: endpoint({ get: '/projects', ...plain }),
      getProject: endpoint({ get: '/projects/:id', ...plain }),
      updateProject: endpoint({ put: '/projects/:id', ...plain }),
      getFile: endpoint({ get: '/projects/:id/files/:file_path', ...plain }),
      readArtifact: endpoint({ get: '/projects/:id/artifacts/*path', ...plain }),
      probe: endpoint({ head: '/projects/:id/probe', ...plain }),
      notAnEndpoint: { some: 'constant' },
    },
  }),
  users: resourceModule({
    endpoints: {
      readUser: endpoint({ get: '/users/:id(^\\d+$)', ...plain }),
      listEvents: endpoint({ get: '/users/:id/events', ...plain }),
    },
  }),
  git: resourceModule({
    endpoints: {
      readRefs: endpoint({ get: '/*repository_path.git/info/refs', ...plain, outsideApi: true }),
    },
  }),
});

const find = (path: string, method = 'GET') => {
  const found = registry.find(method, path);
  return found && [found.endpoint.name, { ...found.path }];
};

test('names endpoints by their exports and orders them by path, then by method', () => {
  assert.equal(registry.endpoints.length, 9);
  assert.deepEqual(
    registry.endpoints.slice(0, 3).map(({ name, folder, source }) => [name, folder, source]),
    [
      ['readRefs', 'git', 'git/endpoints.ts'],
      ['listProjects', 'projects', 'projects/endpoints.ts'],
      ['getProject', 'projects', 'projects/endpoints.ts'],
    ],
  );
});

test('splits segments before it decodes them', () => {
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
    assert.deepEqual(find(`/api/v4/projects/g%2Fp/files/${segment}`), ['getFile', { id: 'g/p', file_path }]);
  }
});

test('treats an unencoded slash as another segment', () => {
  for (const path of ['/api/v4/projects/g/p', '/api/v4/projects//files/a', '/projects/1', '/', '*']) {
    assert.equal(find(path), null, path);
    assert.deepEqual(registry.listMethods(path), [], path);
  }
});

test('collapses repeated slashes and ignores a trailing one', () => {
  assert.deepEqual(find('/api/v4//projects///1'), find('/api/v4/projects/1'));
  assert.deepEqual(find('/api/v4/projects/1/'), find('/api/v4/projects/1'));
  assert.notEqual(find('/api/v4/projects/1/'), null);
  assert.deepEqual(find('//api//v4///projects/1//'), find('/api/v4/projects/1'));
  assert.deepEqual(find('//a//b.git//info/refs/'), ['readRefs', { repository_path: 'a/b' }]);
  assert.deepEqual(registry.listMethods('//a/b.git/info/refs/'), ['GET', 'HEAD']);
  assert.equal(find('//'), null);
});

test('keeps the slashes of a path of a file', () => {
  assert.deepEqual(find('/api/v4/projects/1/artifacts/a//b'), ['readArtifact', { id: '1', path: 'a//b' }]);
  assert.deepEqual(find('//api/v4/projects/1/artifacts/a'), ['readArtifact', { id: '1', path: 'a' }]);
});

test('matches only digits where the pattern requires them', () => {
  assert.deepEqual(find('/api/v4/users/12'), ['readUser', { id: '12' }]);
  for (const id of ['x', '-1', '1.5', '1%0A', '']) assert.equal(find(`/api/v4/users/${id}`), null, id);
  assert.deepEqual(find('/api/v4/users/mira/events'), ['listEvents', { id: 'mira' }]);
});

test('captures the rest of a path', () => {
  assert.deepEqual(find('/api/v4/projects/1/artifacts/a/b%20c'), ['readArtifact', { id: '1', path: 'a/b c' }]);
  assert.equal(find('/api/v4/projects/1/artifacts/'), null);
});

test('matches nested paths before a fixed suffix', () => {
  assert.deepEqual(find('/a/b/c.git/info/refs'), ['readRefs', { repository_path: 'a/b/c' }]);
  assert.deepEqual(find('/a%20b/c.git/info/refs'), ['readRefs', { repository_path: 'a b/c' }]);
  assert.deepEqual(find('/a/b.git.c/info/refs'), ['readRefs', { repository_path: 'a/b.git.c' }]);
  assert.deepEqual(find('/a/b/info/refs'), ['readRefs', { repository_path: 'a/b' }]);
  assert.equal(find('/%ff.git/info/refs'), null);
  assert.equal(find('/info/refs'), null);
});

test('serves HEAD by the GET endpoint unless HEAD has its own', () => {
  assert.deepEqual(find('/api/v4/projects/1', 'HEAD'), ['getProject', { id: '1' }]);
  assert.deepEqual(find('/api/v4/projects/1/probe', 'HEAD'), ['probe', { id: '1' }]);
  assert.equal(find('/api/v4/projects/1/probe'), null);
});

test('lists the methods of a path', () => {
  assert.deepEqual(registry.listMethods('/api/v4/projects/1'), ['GET', 'PUT', 'HEAD']);
  assert.deepEqual(registry.listMethods('/api/v4/projects/1/probe'), ['HEAD']);
  assert.deepEqual(registry.listMethods('/a/b.git/info/refs'), ['GET', 'HEAD']);
  assert.equal(find('/api/v4/projects/1', 'PROPFIND'), null);
});

test('prefers the most specific suffix, in any order of declaration', () => {
  const alerts = createRegistry({
    alerts: resourceModule({
      endpoints: {
        notify: endpoint({ post: '/*project_path/alerts/notify', ...plain, outsideApi: true }),
        notifyPrometheus: endpoint({ post: '/*project_path/prometheus/alerts/notify', ...plain, outsideApi: true }),
        notifyNamed: endpoint({ post: '/*project_path/alerts/notify/:name/:key', ...plain, outsideApi: true }),
        notifyNamedJson: endpoint({ post: '/*project_path/alerts/notify/:name/:key.json', ...plain, outsideApi: true }),
      },
    }),
  });
  const nameOf = (path: string) => alerts.find('POST', path)?.endpoint.name;
  assert.equal(nameOf('/group/project/alerts/notify'), 'notify');
  assert.equal(nameOf('/group/project/prometheus/alerts/notify'), 'notifyPrometheus');
  assert.equal(nameOf('/group/project/alerts/notify/name/key'), 'notifyNamed');
  assert.equal(nameOf('/group/project/alerts/notify/name/key.json'), 'notifyNamedJson');
});

test('a route may continue after a nested path that another one ends with', () => {
  const groups = createRegistry({
    groups: resourceModule({
      endpoints: {
        group: endpoint({ get: '/groups/*group', ...plain, outsideApi: true }),
        issues: endpoint({ get: '/groups/*group/-/issues', ...plain, outsideApi: true }),
        projectIssues: endpoint({ get: '/*project/-/issues', ...plain, outsideApi: true }),
      },
    }),
  });
  const matchOf = (path: string) => {
    const match = groups.find('GET', path);
    return match && [match.endpoint.name, match.path];
  };
  assert.deepEqual(matchOf('/groups/a/b'), ['group', { group: 'a/b' }]);
  assert.deepEqual(matchOf('/groups/a/b/-/issues'), ['issues', { group: 'a/b' }]);
  assert.deepEqual(matchOf('/a/b/-/issues'), ['projectIssues', { project: 'a/b' }]);
});

test('the first `/-/` ends the path of a project', () => {
  const { find } = createRegistry({
    pages: resourceModule({
      endpoints: {
        readBlob: endpoint({ get: '/*id/-/blob/*ref_path', ...plain, outsideApi: true }),
        readRaw: endpoint({ get: '/*id/-/raw/*ref_path', ...plain, outsideApi: true }),
      },
    }),
  });
  assert.deepEqual({ ...find('GET', '/a/b/-/raw/main/-/blob/x')?.path }, { id: 'a/b', ref_path: 'main/-/blob/x' });
  assert.deepEqual({ ...find('GET', '/a/b/-/blob/main/-/raw/x')?.path }, { id: 'a/b', ref_path: 'main/-/raw/x' });
});

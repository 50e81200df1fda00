import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFullPath, type PathParameter, replaceParameters } from '#http/server/routing/paths.ts';
import { world } from './support/world.ts';

// 405 and Allow for unsupported methods on every path (contract/conventions.md §1 stage 4, §4), without database access.

const { anonymous, root, withToken, server } = await world();
// For clients that accept no HTML, the addresses of pages are unknown paths.
const endpoints = server.registry.endpoints.filter(({ htmlOnly }) => !htmlOnly);

/** A segment that fits: digits and file names where the pattern asks for them. */
function segment({ name, pattern }: PathParameter): string {
  if (name === 'suffix') return '.zip';
  if (name === 'file') return '0123456789abcdef.svg';
  return pattern === undefined ? `a%2F${name}` : '1';
}

/** Returns a regular expression for a path pattern; each parameter matches the values of its kind. */
function fitting(declared: string): RegExp {
  const kinds: string[] = [];
  const plain = replaceParameters(declared, ({ matchesRest: rest, pattern }) => {
    kinds.push(rest ? '[^/]+(?:/[^/]+)*' : `(?:${pattern?.replace(/^\^|\$$/g, '') ?? '[^/]+'})`);
    return '\0';
  });
  const source = plain.replaceAll('.', '\\.').replaceAll('\0', () => kinds.shift()!);
  return new RegExp(`^${source}$`);
}

const declared = endpoints.map((endpoint) => ({ method: endpoint.method, path: fitting(getFullPath(endpoint)) }));

const paths = [...new Set(endpoints.map((endpoint) => replaceParameters(getFullPath(endpoint), segment)))];

/** The methods that the declarations have for this path, HEAD with every GET. */
function methodsOf(path: string): Set<string> {
  const methods = declared.filter((one) => one.path.test(path)).map(({ method }) => method as string);
  return new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']);
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
const whoever = [anonymous, root, withToken(root, 'glpat-nobody')];

for (const [index, path] of paths.entries()) {
  const wanted = methodsOf(path);
  const others = METHODS.filter((method) => !wanted.has(method));
  // Allow and 405 follow from the same routes, so one other method and one caller per path are enough.
  const method = others[index % others.length]!;
  const caller = whoever[index % whoever.length]!;
  test(`${path} lists its methods in Allow and rejects ${method}`, async () => {
    const options = await anonymous.send('OPTIONS', `/${path}`);
    assert.deepEqual([options.status, options.text, options.headers['content-type']], [204, '', undefined]);
    assert.deepEqual(new Set(String(options.headers.allow).split(', ')), wanted);
    const wrong = await caller.send(method, `/${path}`);
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, options.headers.allow]);
    if (method !== 'HEAD') assert.deepEqual(wrong.body, { error: '405 Not Allowed' });
  });
}

test('returns 404 for an unknown path with every method', async () => {
  for (const path of [
    '/nowhere',
    '/projects/a/b',
    '/projects/1/repository/branches/a/b',
    '/users/a',
    '/user/1',
    '//x',
  ]) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await anonymous.send(method, path);
      assert.deepEqual([answer.status, answer.headers.allow], [404, undefined], `${method} ${path}`);
      if (method !== 'HEAD') assert.deepEqual(answer.body, { error: '404 Not Found' });
    }
  }
});

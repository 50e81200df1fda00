import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../session.ts';
import { buildRequest, CallError, type CallRecord, createClient } from './call.ts';

const session: Session = { origin: 'https://hearth.test', basePath: '/forge', userId: 3, csrfToken: 'csrf' };

/** Returns a client whose server gives this response, and what it received. */
function clientOf(response: () => Response) {
  const requests: { url: string; init: RequestInit }[] = [];
  const records: CallRecord[] = [];
  const client = createClient({
    session,
    fetch: async (url, init) => {
      requests.push({ url: String(url), init: init ?? {} });
      return response();
    },
    onCall: (record) => records.push(record),
  });
  return { client, requests, records };
}

test('puts parameters into the path, then the query or the body', () => {
  assert.deepEqual(
    buildRequest('GET /projects/:id/issues', { id: 'a/b', labels: ['x y', 'z'], page: 2, search: undefined }),
    {
      method: 'GET',
      url: '/api/v4/projects/a%2Fb/issues?labels%5B%5D=x+y&labels%5B%5D=z&page=2',
      body: null,
    },
  );
  assert.deepEqual(buildRequest('PUT /projects/:id', { id: 7, name: 'New' }), {
    method: 'PUT',
    url: '/api/v4/projects/7',
    body: '{"name":"New"}',
  });
});

test('reads below the base path of the server, with the totals of the headers', async () => {
  const headers = { 'X-Total': '41', 'X-Next-Page': '3', ETag: 'W/"1"' };
  const { client, requests, records } = clientOf(() => new Response('[]', { headers }));
  const loaded = await client.call('GET /projects', { page: 2 });
  assert.deepEqual(loaded, { value: [], total: 41, nextPage: 3, etag: 'W/"1"' });
  assert.equal(requests[0]!.url, '/forge/api/v4/projects?page=2');
  assert.equal(new Headers(requests[0]!.init.headers).get('X-CSRF-Token'), null);
  assert.deepEqual(
    { ...records[0], milliseconds: 0 },
    {
      method: 'GET',
      url: '/api/v4/projects?page=2',
      body: null,
      status: 200,
      size: 2,
      milliseconds: 0,
    },
  );
});

test('throws the message of the server, with the request and the time to wait', async () => {
  const errors: [body: string, message: string][] = [
    ['{"message":"404 Project Not Found"}', '404 Project Not Found'],
    ['{"error":"page is invalid"}', 'page is invalid'],
    ['{"message":{"name":["is too long"]}}', '{"name":["is too long"]}'],
    ['Retry later\n', 'Retry later\n'],
  ];
  for (const [body, message] of errors) {
    const headers = { 'X-Request-Id': 'r1', 'Retry-After': '12' };
    const { client } = clientOf(() => new Response(body, { status: 429, headers }));
    await assert.rejects(client.call('GET /user', {}), (error) => {
      assert.ok(error instanceof CallError);
      assert.deepEqual([error.status, error.message, error.requestId, error.retryAfter], [429, message, 'r1', 12]);
      return true;
    });
  }
});

test('a server that does not respond has the status 0', async () => {
  const { client, records } = clientOf(() => {
    throw new TypeError('Failed to fetch');
  });
  await assert.rejects(client.call('GET /user', {}), { status: 0, message: 'Failed to fetch' });
  assert.equal(records[0]!.status, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '../session.ts';
import { buildRequest, CallError, type CallRecord, createClient } from './call.ts';

const session: Session = { origin: 'https://hearth.test', basePath: '/forge', userId: 3, csrfToken: 'csrf' };

/** Returns a client whose server gives this response, and what it received. */
function clientOf(response: (url: string, init: RequestInit) => Response) {
  const requests: { url: string; init: RequestInit }[] = [];
  const records: CallRecord[] = [];
  const client = createClient({
    session,
    fetch: async (url, init) => {
      requests.push({ url: String(url), init: init ?? {} });
      return response(String(url), init ?? {});
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
  const headers = { 'Content-Type': 'application/json', 'X-Total': '41', 'X-Next-Page': '3', ETag: 'W/"1"' };
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

test('the record of a call has no password', async () => {
  const { client, requests, records } = clientOf(() => new Response(null, { status: 204 }));
  await client.call('PUT /user/password', { current_password: 'old "secret', password: 'new secret' });
  assert.match(String(requests[0]!.init.body), /new secret/);
  assert.equal(records[0]!.body, '{"current_password":"...","password":"..."}');
});

test('throws the message of the server, with the request and the time to wait', async () => {
  const errors: [body: string, message: string][] = [
    ['{"message":"404 Project Not Found"}', '404 Project Not Found'],
    ['{"error":"page is invalid"}', 'page is invalid'],
    ['{"message":{"name":["is too long","is reserved"]}}', 'name is too long, is reserved'],
    ['{"message":{"base":["Nothing has changed"]}}', 'Nothing has changed'],
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

test('an error names the attributes that are invalid', async () => {
  const { client } = clientOf(
    () => new Response('{"message":{"name":["is too long"],"path":"is taken"}}', { status: 400 }),
  );
  await assert.rejects(client.call('GET /user', {}), { attributes: { name: ['is too long'], path: ['is taken'] } });
});

test('a response that is not JSON is text', async () => {
  const { client } = clientOf(() => new Response('1', { headers: { 'Content-Type': 'text/plain' } }));
  assert.equal((await client.call('GET /user', {})).value, '1');
});

test('files are sent in a form', () => {
  const { body } = buildRequest('POST /projects/:id/uploads', { id: 7, file: new Blob(['x']) });
  assert.ok(body instanceof FormData);
  assert.deepEqual([...body.keys()], ['file']);
});

/** The shell of a session of this user, with another CSRF token than that of the page. */
const shellOf = (userId: number) =>
  new Response(`<meta name="csrf-token" content="new">\n<meta name="user-id" content="${userId}">`);

test('a write is sent again with the token of a new session', async () => {
  const { client, requests } = clientOf((url, init) => {
    if (url === '/forge/') return shellOf(3);
    return new Response('{}', { status: new Headers(init.headers).get('X-CSRF-Token') === 'new' ? 201 : 401 });
  });
  // No page has to call this operation.
  await client.call('POST /projects/:id/star' as 'GET /projects/:id', { id: 7 });
  assert.deepEqual(
    requests.map(({ init, url }) => `${init.method ?? 'GET'} ${url}`),
    ['POST /forge/api/v4/projects/7/star', 'GET /forge/', 'POST /forge/api/v4/projects/7/star'],
  );
});

test('a write is not sent again when the session has ended', async () => {
  const { client, requests } = clientOf(() => new Response('{"message":"401 Unauthorized"}', { status: 401 }));
  await assert.rejects(client.call('POST /projects/:id/star' as 'GET /projects/:id', { id: 7 }), { status: 401 });
  assert.equal(requests.length, 2);
});

test('a write of one user is not sent in the session of another', async () => {
  const { client, requests } = clientOf((url) => (url === '/forge/' ? shellOf(4) : new Response('', { status: 401 })));
  const write = () => client.call('POST /projects/:id/star' as 'GET /projects/:id', { id: 7 });
  await assert.rejects(write(), { status: 403, message: /another user/ });
  await assert.rejects(write(), { status: 403 });
  assert.deepEqual(
    requests.map(({ init }) => new Headers(init.headers).get('X-CSRF-Token')),
    ['csrf', null, 'csrf', null],
  );
});

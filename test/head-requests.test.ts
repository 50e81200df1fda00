import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Build, Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// HEAD returns the same headers as GET, and conditional requests return 304 (contract/conventions.md §4). All spellings of
// If-None-Match: src/http/server/response/conditional-requests.test.ts.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

/** Headers that differ in each response. */
const OWN = ['date', 'x-request-id', 'set-cookie', 'transfer-encoding', 'keep-alive', 'connection'];
/** Headers that a 304 omits. */
const OF_BODIES = ['content-type', 'content-length', 'content-encoding'];
/**
 * A branch is 204 or 404 (contract/repository.md §2); of a file HEAD reads no content, so that it knows no answer's length
 * and tag (§1); what is measured is another thing each time.
 */
const OTHER_HEADS = ['getBranch', 'getFile', 'getFileBlame', 'getMetrics'];

function pickHeaders(headers: IncomingHttpHeaders, without: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !without.includes(name)));
}

for (const { endpoint, builds } of ourShare(await allExamples(here.server.registry))) {
  if (endpoint.method !== 'GET') continue;
  const [build] = builds;
  test(`${endpoint.name}: HEAD returns the headers of GET, and 304 for a known ETag`, async () => {
    const example = await (build as Build)(scene);
    const call = (method: 'GET' | 'HEAD', headers = {}) => asked({ ...endpoint, method } as Endpoint, example, headers);
    const got = await call('GET');
    assert.ok(got.status < 400 || got.status === endpoint.response.status, got.text);
    const head = await call('HEAD');
    if (!OTHER_HEADS.includes(endpoint.name)) likeGet(got, head);
    if (endpoint.name !== 'getBranch') assert.equal(head.headers['content-type'], got.headers['content-type']);
    if (got.status >= 400 || got.headers['content-type'] !== 'application/json' || endpoint.body === 'raw') return;
    const etag = String(got.headers.etag);
    assert.match(etag, /^W\/"[0-9a-f]+"$/);
    const again = await call('GET', { 'If-None-Match': etag });
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.deepEqual(pickHeaders(again.headers, OWN), pickHeaders(got.headers, [...OWN, ...OF_BODIES]));
  });
}

function asked(endpoint: Endpoint, example: Example, headers: object): Promise<TestResponse> {
  const caller = scene.callers[example.by];
  return ask(here, endpoint, { ...example, headers: { ...example.headers, ...headers } }, caller);
}

function likeGet(got: TestResponse, head: TestResponse): void {
  assert.equal(head.status, got.status);
  // Nothing is as long for both: no need to say so.
  const without = got.headers['content-length'] === '0' ? [...OWN, 'content-length'] : OWN;
  assert.deepEqual(pickHeaders(head.headers, OWN), pickHeaders(got.headers, without));
}

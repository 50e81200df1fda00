import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestResponse, world } from '#test/support/world.ts';

const { newProject } = await world();

const NAMES = ['v1.10', 'v1.9', 'v1.9-rc1', 'a/b', 'Zed', 'é'];

async function setUp() {
  const { owner, repository, commit, point } = await newProject();
  for (const [at, name] of NAMES.entries()) await point(`refs/tags/${name}`, await commit({ f: `${at}` }, { at }));
  return { owner, url: `${repository}/tags` };
}

const tagNames = ({ body }: TestResponse): string[] => body.map(({ name }: { name: string }) => name);

/** Returns the path of the next link, below /api/v4. */
function nextLink({ headers }: TestResponse): string | null {
  for (const name of ['x-page', 'x-total', 'x-next-page']) assert.equal(headers[name], undefined);
  if (headers.link === undefined) return null;
  const [, url] = /^<[^>,]+\/api\/v4([^>,]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  assert.ok(url, String(headers.link));
  return url;
}

test('returns every tag once in keyset pages, in every order', async () => {
  const { owner, url } = await setUp();
  for (const query of ['', 'order_by=name&sort=asc', 'order_by=version', 'sort=asc', 'search=v1']) {
    const whole = tagNames(await owner.get(`${url}?${query}`));
    const seen: string[] = [];
    for (let path: string | null = `${url}?pagination=keyset&per_page=2&${query}`; path !== null; ) {
      const answer: TestResponse = await owner.get(path);
      seen.push(...tagNames(answer));
      path = nextLink(answer);
    }
    assert.deepEqual(seen, whole, query);
  }
});

test('continues after the token among names and versions even if that tag was deleted', async () => {
  const { owner, url } = await setUp();
  const behind = (page_token: string, params: object) =>
    owner.get(url, { pagination: 'keyset', page_token, per_page: 2, ...params });
  assert.deepEqual(tagNames(await behind('a/b', { order_by: 'name', sort: 'asc' })), ['v1.10', 'v1.9']);
  assert.equal((await owner.delete(`${url}/v1.9`)).status, 204);
  assert.deepEqual(tagNames(await behind('v1.9', { order_by: 'name', sort: 'asc' })), ['v1.9-rc1', 'é']);
  assert.deepEqual(tagNames(await behind('v1.9', { order_by: 'version' })), ['v1.9-rc1', 'a/b']);
  // It would come first, so all others are after it.
  assert.deepEqual(tagNames(await behind('v1.9', { order_by: 'name', search: 'v1.9' })), ['v1.9-rc1']);
  const response = await behind('v1.9', {});
  assert.deepEqual([response.status, response.body], [400, { error: 'page_token is invalid' }]);
});

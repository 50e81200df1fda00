import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, world } from '#test/support/world.ts';

const { newProject } = await world();

const NAMES = ['v1.10', 'v1.9', 'v1.9-rc1', 'a/b', 'Zed', 'é'];

async function given() {
  const { owner, repository, commit, point } = await newProject();
  for (const [at, name] of NAMES.entries()) await point(`refs/tags/${name}`, await commit({ f: `${at}` }, { at }));
  return { owner, url: `${repository}/tags` };
}

const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name);

/** The path of the link to the next page, below /api/v4. */
function nextOf({ headers }: Answer): string | null {
  for (const name of ['x-page', 'x-total', 'x-next-page']) assert.equal(headers[name], undefined);
  if (headers.link === undefined) return null;
  const [, url] = /^<[^>,]+\/api\/v4([^>,]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  assert.ok(url, String(headers.link));
  return url;
}

test('keyset pages show every tag once, in every order', async () => {
  const { owner, url } = await given();
  for (const query of ['', 'order_by=name&sort=asc', 'order_by=version', 'sort=asc', 'search=v1']) {
    const whole = names(await owner.get(`${url}?${query}`));
    const seen: string[] = [];
    for (let path: string | null = `${url}?pagination=keyset&per_page=2&${query}`; path !== null; ) {
      const answer: Answer = await owner.get(path);
      seen.push(...names(answer));
      path = nextOf(answer);
    }
    assert.deepEqual(seen, whole, query);
  }
});

test('a token is the name of the last tag, which keeps its place among names and versions when it is gone', async () => {
  const { owner, url } = await given();
  const behind = (page_token: string, params: object) =>
    owner.get(url, { pagination: 'keyset', page_token, per_page: 2, ...params });
  assert.deepEqual(names(await behind('a/b', { order_by: 'name', sort: 'asc' })), ['v1.10', 'v1.9']);
  assert.equal((await owner.delete(`${url}/v1.9`)).status, 204);
  assert.deepEqual(names(await behind('v1.9', { order_by: 'name', sort: 'asc' })), ['v1.9-rc1', 'é']);
  assert.deepEqual(names(await behind('v1.9', { order_by: 'version' })), ['v1.9-rc1', 'a/b']);
  // It would come first: all others are behind it.
  assert.deepEqual(names(await behind('v1.9', { order_by: 'name', search: 'v1.9' })), ['v1.9-rc1']);
  const gone = await behind('v1.9', {});
  assert.deepEqual([gone.status, gone.body], [400, { error: 'page_token is invalid' }]);
});

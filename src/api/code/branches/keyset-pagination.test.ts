import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type TestResponse, world } from '#test/support/world.ts';

const { newProject } = await world();

const NAMES = ['Zed', 'a,b & 100%', 'a/b', 'main', 'z', 'é', '\uffee', '👍'];

async function createBranches(): Promise<{ owner: Caller; url: string }> {
  const { owner, repository } = await newProject({ readme: true });
  const url = `${repository}/branches`;
  for (const branch of NAMES.map((wanted) => wanted.replaceAll(' ', '_')))
    if (branch !== 'main') assert.equal((await owner.post(url, { branch, ref: 'main' })).status, 201, branch);
  return { owner, url };
}

const names = ({ body }: TestResponse): string[] => body.map(({ name }: { name: string }) => name);

/** Returns the path of the next link, below /api/v4. */
function nextLink({ headers }: TestResponse): string | null {
  if (headers.link === undefined) return null;
  const [, url] = /^<[^>,]+\/api\/v4([^>,]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  assert.ok(url, String(headers.link));
  return url;
}

async function collectPages(
  owner: Caller,
  first: string,
  between: (seen: string[]) => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let path: string | null = first; path !== null; ) {
    const answer: TestResponse = await owner.get(path);
    assert.equal(answer.status, 200, answer.text);
    for (const name of ['x-page', 'x-total', 'x-next-page']) assert.equal(answer.headers[name], undefined);
    seen.push(...names(answer));
    await between(names(answer));
    path = nextLink(answer);
  }
  return seen;
}

const nothing = async () => {};

test('returns every branch once in keyset pages, in every order, and keeps filters in links', async () => {
  const { owner, url } = await createBranches();
  for (const query of ['', 'sort=updated_desc', 'sort=updated_asc', 'search=a', 'regex=^[a-z]']) {
    const whole = names(await owner.get(`${url}?${query}&per_page=100`));
    assert.ok(whole.length > 2, query);
    for (const perPage of [1, 3]) {
      assert.deepEqual(
        await collectPages(owner, `${url}?pagination=keyset&per_page=${perPage}&${query}`, nothing),
        whole,
      );
    }
  }
  const all = await owner.get(url, { pagination: 'keyset', per_page: NAMES.length });
  assert.deepEqual([all.body.length, all.headers.link], [NAMES.length, undefined], 'the last page has no next link');
});

test('continues after the token even if that branch was deleted', async () => {
  const { owner, url } = await createBranches();
  const whole = names(await owner.get(url));
  const behind = await owner.get(url, { pagination: 'keyset', page_token: 'main', per_page: 2 });
  assert.deepEqual(names(behind), ['z', 'é']);
  const remove = (seen: string[]) =>
    Promise.all(seen.map((name) => name !== 'main' && owner.delete(`${url}/${encodeURIComponent(name)}`)));
  assert.deepEqual(await collectPages(owner, `${url}?pagination=keyset&per_page=2`, remove), whole);
  assert.deepEqual(names(await owner.get(url)), ['main']);
  const response = await owner.get(url, { pagination: 'keyset', page_token: 'z', sort: 'updated_desc' });
  assert.deepEqual([response.status, response.body], [400, { error: 'page_token is invalid' }]);
});

test('keeps an exact match first although it or the last branch was deleted', async () => {
  for (const perPage of [1, 2]) {
    const { owner, repository } = await newProject({ readme: true });
    const url = `${repository}/branches`;
    for (const branch of ['c', 'RC', 'a-rc', 'x.rc']) await expectSuccess(owner.post(url, { branch, ref: 'main' }));
    const removeLast = (seen: string[]) => owner.delete(`${url}/${seen.at(-1)}`);
    const seen = await collectPages(owner, `${url}?pagination=keyset&per_page=${perPage}&search=c`, removeLast);
    assert.deepEqual(seen, ['c', 'RC', 'a-rc', 'x.rc'], String(perPage));
  }
});

test('neither repeats nor skips branches created between pages', async () => {
  const { owner, url } = await createBranches();
  const whole = names(await owner.get(url));
  const make = async ([last]: string[]) => owner.post(url, { branch: `0${last?.length}${last}`, ref: 'main' });
  assert.deepEqual(await collectPages(owner, `${url}?pagination=keyset&per_page=2`, make), whole);
});

test('ignores page_token without pagination=keyset', async () => {
  const { owner, url } = await createBranches();
  const { body, headers } = await owner.get(url, { page_token: 'main', per_page: 2 });
  assert.deepEqual([body.length, headers['x-total']], [2, String(NAMES.length)]);
});

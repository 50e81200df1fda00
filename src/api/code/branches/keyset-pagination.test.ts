import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, type Caller, done, world } from '#test/support/world.ts';

const { newProject } = await world();

const NAMES = ['Zed', 'a,b & 100%', 'a/b', 'main', 'z', 'é', '\uffee', '👍'];

async function givenBranches(): Promise<{ owner: Caller; url: string }> {
  const { owner, repository } = await newProject({ readme: true });
  const url = `${repository}/branches`;
  for (const branch of NAMES.map((wanted) => wanted.replaceAll(' ', '_')))
    if (branch !== 'main') assert.equal((await owner.post(url, { branch, ref: 'main' })).status, 201, branch);
  return { owner, url };
}

const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name);

/** The path of the link to the next page, below /api/v4. */
function nextOf({ headers }: Answer): string | null {
  if (headers.link === undefined) return null;
  const [, url] = /^<[^>,]+\/api\/v4([^>,]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  assert.ok(url, String(headers.link));
  return url;
}

async function walk(owner: Caller, first: string, between: (seen: string[]) => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  for (let path: string | null = first; path !== null; ) {
    const answer: Answer = await owner.get(path);
    assert.equal(answer.status, 200, answer.text);
    for (const name of ['x-page', 'x-total', 'x-next-page']) assert.equal(answer.headers[name], undefined);
    seen.push(...names(answer));
    await between(names(answer));
    path = nextOf(answer);
  }
  return seen;
}

const nothing = async () => {};

test('keyset pages show every branch once, in every order, with the filters in their links', async () => {
  const { owner, url } = await givenBranches();
  for (const query of ['', 'sort=updated_desc', 'sort=updated_asc', 'search=a', 'regex=^[a-z]']) {
    const whole = names(await owner.get(`${url}?${query}&per_page=100`));
    assert.ok(whole.length > 2, query);
    for (const perPage of [1, 3]) {
      assert.deepEqual(await walk(owner, `${url}?pagination=keyset&per_page=${perPage}&${query}`, nothing), whole);
    }
  }
  const all = await owner.get(url, { pagination: 'keyset', per_page: NAMES.length });
  assert.deepEqual([all.body.length, all.headers.link], [NAMES.length, undefined], 'an end has no link');
});

test('a token is the name of the last branch, and keeps its place when that is deleted', async () => {
  const { owner, url } = await givenBranches();
  const whole = names(await owner.get(url));
  const behind = await owner.get(url, { pagination: 'keyset', page_token: 'main', per_page: 2 });
  assert.deepEqual(names(behind), ['z', 'é']);
  const remove = (seen: string[]) =>
    Promise.all(seen.map((name) => name !== 'main' && owner.delete(`${url}/${encodeURIComponent(name)}`)));
  assert.deepEqual(await walk(owner, `${url}?pagination=keyset&per_page=2`, remove), whole);
  assert.deepEqual(names(await owner.get(url)), ['main']);
  const gone = await owner.get(url, { pagination: 'keyset', page_token: 'z', sort: 'updated_desc' });
  assert.deepEqual([gone.status, gone.body], [400, { error: 'page_token is invalid' }]);
});

test('the branch of that very name stays first, whether the last one that was seen is gone or it is itself', async () => {
  for (const perPage of [1, 2]) {
    const { owner, repository } = await newProject({ readme: true });
    const url = `${repository}/branches`;
    for (const branch of ['c', 'RC', 'a-rc', 'x.rc']) await done(owner.post(url, { branch, ref: 'main' }));
    const removeLast = (seen: string[]) => owner.delete(`${url}/${seen.at(-1)}`);
    const seen = await walk(owner, `${url}?pagination=keyset&per_page=${perPage}&search=c`, removeLast);
    assert.deepEqual(seen, ['c', 'RC', 'a-rc', 'x.rc'], String(perPage));
  }
});

test('branches made between pages repeat and skip nothing', async () => {
  const { owner, url } = await givenBranches();
  const whole = names(await owner.get(url));
  const make = async ([last]: string[]) => owner.post(url, { branch: `0${last?.length}${last}`, ref: 'main' });
  assert.deepEqual(await walk(owner, `${url}?pagination=keyset&per_page=2`, make), whole);
});

test('a token without pagination=keyset is not looked at', async () => {
  const { owner, url } = await givenBranches();
  const { body, headers } = await owner.get(url, { page_token: 'main', per_page: 2 });
  assert.deepEqual([body.length, headers['x-total']], [2, String(NAMES.length)]);
});

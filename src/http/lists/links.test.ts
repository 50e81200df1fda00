import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, type World, world } from '#test/support/world.ts';

const { newGroup } = await world();

// Link headers as clients meet them (contract/conventions.md §6).

interface Link {
  readonly rel: string;
  readonly url: string;
}

function linksOf({ headers }: TestResponse): Link[] {
  return String(headers.link)
    .split(',')
    .map((entry) => {
      const [, url = '', rel = ''] = /^ ?<([^<>\s]+)>; rel="(\w+)"$/.exec(entry) ?? [];
      assert.ok(url, entry);
      return { rel, url };
    });
}

const urlOf = (answer: TestResponse, rel: string) => linksOf(answer).find((link) => link.rel === rel)?.url ?? '';
const below = (url: string) => `/${url.slice(url.indexOf('/api/'))}`;

/** A group with as many subgroups. */
async function givenSubgroups(
  { user, name }: World,
  count: number,
): Promise<{ ada: Caller; path: string; ids: number[] }> {
  const ada = await user();
  const top = await newGroup({ owner: ada });
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const path = name('low');
    ids.push((await newGroup({ owner: ada, name: `a&b ${path}`, path, in: top })).id);
  }
  return { ada, path: `/groups/${encodeURIComponent(top.full_path)}/subgroups`, ids };
}

const QUERY =
  'search=a%26b+&note=100%25%20%2B%2F%3F%23%22%3C%3E%5C&list=x,y&skip_groups[]=0&skip_groups%5B%5D=-1&h[a][b]=c&e=&flag';

/** Returns the parameters of each link, except the page. */
const ASKED = [
  ['search', 'a&b '],
  ['note', '100% +/?#"<>\\'],
  ['list', 'x,y'],
  ['skip_groups[]', '0'],
  ['skip_groups[]', '-1'],
  ['h[a][b]', 'c'],
  ['e', ''],
  ['flag', ''],
  ['per_page', '2'],
];

test('first, middle and last page, with the whole request in each link', async () => {
  const here = await world();
  const { ada, path } = await givenSubgroups(here, 5);
  const relations: Record<number, string> = { 1: 'next first last', 2: 'prev next first last', 3: 'prev first last' };
  for (const page of [1, 2, 3]) {
    const answer = await ada.get(`${path}?${QUERY}&page=${page}&per_page=2`);
    assert.equal(answer.headers['x-total'], '5');
    assert.equal(
      linksOf(answer)
        .map(({ rel }) => rel)
        .join(' '),
      relations[page],
    );
    const pages = { prev: page - 1, next: page + 1, first: 1, last: 3 } as Record<string, number>;
    for (const { rel, url } of linksOf(answer)) {
      const { origin, pathname, searchParams } = new URL(url);
      assert.equal(origin + pathname, `${here.server.address}/api/v4${path}`);
      assert.deepEqual(
        [...searchParams].filter(([name]) => name !== 'page'),
        ASKED,
      );
      assert.deepEqual(searchParams.getAll('page'), [String(pages[rel])]);
    }
  }
});

test('following the links to the next page returns each row once', async () => {
  const here = await world();
  const { ada, path, ids } = await givenSubgroups(here, 5);
  const seen: number[] = [];
  for (let url = `${path}?${QUERY}&per_page=2`; url !== ''; ) {
    const answer: TestResponse = await ada.get(url);
    seen.push(...answer.body.map(({ id }: { id: number }) => id));
    const next = urlOf(answer, 'next');
    url = next && below(next);
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
});

test('links include the parameters from the body of a GET', async () => {
  const { ada, path } = await givenSubgroups(await world(), 3);
  const raw = JSON.stringify({ per_page: 1, page: 2, search: 'a&b', skip_groups: [7, 8], owned: true, nothing: null });
  const answer = await ada.send('GET', path, { raw, headers: { 'Content-Type': 'application/json' } });
  const { searchParams } = new URL(urlOf(answer, 'next'));
  assert.deepEqual(searchParams.getAll('skip_groups[]'), ['7', '8']);
  assert.deepEqual(
    ['search', 'owned', 'page', 'per_page'].map((name) => searchParams.get(name)),
    ['a&b', 'true', '3', '1'],
  );
  assert.equal((await ada.get(below(urlOf(answer, 'next')))).headers['x-page'], '3');
});

test('links include a token from the query, but not from a header', async () => {
  const here = await world();
  const { ada, path } = await givenSubgroups(here, 2);
  const inQuery = await here.anonymous.get(path, { private_token: ada.token, per_page: 1 });
  assert.equal(new URL(urlOf(inQuery, 'next')).searchParams.get('private_token'), ada.token);
  assert.equal((await here.anonymous.get(below(urlOf(inQuery, 'next')))).body.length, 1);
  const inHeader = await ada.get(path, { per_page: 1 });
  assert.doesNotMatch(String(inHeader.headers.link), /token|glpat/);
});

test('links use the external URL, or the host of the request', async () => {
  const asked = await (await world()).root.get('/groups', { search: 'none' }, { Host: 'code.test:8443' });
  assert.match(urlOf(asked, 'first'), /^http:\/\/code\.test:8443\/api\/v4\/groups\?/);
  const outside = await world({ env: { HEARTH_EXTERNAL_URL: 'https://hearth.test/code/' } });
  for (const path of ['/groups', '//code/api/v4/groups']) {
    const answer = await outside.root.get(path, { per_page: 500 }, { Host: 'code.test', 'X-Forwarded-Proto': 'http' });
    assert.equal(urlOf(answer, 'first'), 'https://hearth.test/code/api/v4/groups?per_page=100&page=1');
  }
});

test('the first and last page of an empty list are the same', async () => {
  const { ada, path } = await givenSubgroups(await world(), 0);
  const answer = await ada.get(path, { search: 'a,b' });
  const url = urlOf(answer, 'first');
  const { body, headers } = answer;
  assert.equal(headers.link, `<${url}>; rel="first", <${url}>; rel="last"`);
  assert.match(url, /search=a%2Cb&/);
  assert.deepEqual([body, headers['x-total'], headers['x-total-pages']], [[], '0', '1']);
});

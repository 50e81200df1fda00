import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// The rules of every paginated list (contract/conventions.md §6). HEAD: head-requests.test.ts.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

/** Too dear to count (contract/repository.md §4). */
const UNCOUNTED = new Set(['listCommits']);

/** They page by `page_token` (contract/repository.md §2, §4). */
const TOKENS = new Set(['listBranches', 'listTags', 'listTree']);

/** Lists that filter by visibility after pagination: called as a user who can see everything. */
const THINNED = new Set(['listProjectEvents']);

// All are made before the first test is declared: tests begin to run as soon as something is awaited.
const lists: (readonly [Endpoint, Example])[] = [];
const paged = (await allExamples(here.server.registry)).filter(({ endpoint }) => endpoint.response.kind === 'page');
for (const { endpoint, builds } of ourShare(paged)) {
  lists.push([endpoint, await builds[0](scene)]);
}

/** rel -> page and per_page of its url. */
function linksOf({ headers }: TestResponse): Record<string, string> {
  const entries = String(headers.link).split(', ');
  return Object.fromEntries(
    entries.map((entry) => {
      const [, url = '', rel = ''] = /^<([^<>,\s]+)>; rel="(\w+)"$/.exec(entry) ?? [];
      const { searchParams } = new URL(url);
      return [rel, `${searchParams.get('page')} of ${searchParams.get('per_page')}`];
    }),
  );
}

function pageHeaders({ headers }: TestResponse): Record<string, unknown> {
  const names = ['link', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'];
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

/** Accepted values, with the page and the page size that they result in. */
const ACCEPTED: readonly (readonly [params: object, page: string, perPage: string])[] = [
  [{ page: '', per_page: '' }, '1', '20'],
  [{ page: 0, per_page: 1 }, '1', '1'],
  [{ page: -3, per_page: -1 }, '1', '20'],
  [{ page: '+1', per_page: 100 }, '1', '100'],
  [{ per_page: 101 }, '1', '100'],
  [{ per_page: 1_000_000 }, '1', '100'],
];

const REJECTED: readonly (readonly [params: object, error: string])[] = [
  [{ per_page: 0 }, 'per_page has a value not allowed'],
  [{ per_page: 'abc' }, 'per_page is invalid'],
  [{ per_page: 1.5 }, 'per_page is invalid'],
  [{ page: 'abc' }, 'page is invalid'],
  [{ page: 'x', per_page: 0 }, 'page is invalid, per_page has a value not allowed'],
];

for (const [index, [endpoint, example]] of lists.entries()) {
  const by = THINNED.has(endpoint.name) ? 'owner' : example.by;
  const list = (params: object = {}) =>
    ask(here, endpoint, { ...example, params: { ...example.params, ...params } }, scene.callers[by]);
  const counted = !UNCOUNTED.has(endpoint.name);
  // All lists share the parameters, so each gets one accepted and one rejected value in turn.
  const accepted = ACCEPTED[index % ACCEPTED.length]!;
  const [rejectedParams, error] = REJECTED[index % REJECTED.length]!;

  test(`${endpoint.name}: applies defaults and limits to page and per_page, and rejects invalid values`, async () => {
    for (const [params, page, perPage] of [[{}, '1', '20'] as const, accepted]) {
      const answer = await list(params);
      const told = JSON.stringify(params);
      const { 'x-page': isPage, 'x-per-page': isPerPage } = answer.headers;
      assert.deepEqual([answer.status, isPage, isPerPage], [200, page, perPage], told);
      assert.equal(linksOf(answer).first, `1 of ${perPage}`, told);
    }
    const rejected = await list(rejectedParams);
    assert.deepEqual([rejected.status, rejected.body], [400, { error }], JSON.stringify(rejectedParams));
  });

  test(`${endpoint.name}: all pages together equal the list, and each links to its neighbours`, async () => {
    const whole = await list({ per_page: 100 });
    const total = whole.body.length;
    assert.equal(whole.headers['x-next-page'], '');
    const pages = Math.max(1, total);
    const walked: unknown[] = [];
    for (let page = 1; page <= pages; page++) {
      const answer = await list({ page, per_page: 1 });
      walked.push(...answer.body);
      const [previous, next] = [page > 1 ? page - 1 : null, page < pages ? page + 1 : null];
      assert.deepEqual(linksOf(answer), {
        ...(previous && { prev: `${previous} of 1` }),
        ...(next && { next: `${next} of 1` }),
        first: '1 of 1',
        ...(counted && { last: `${pages} of 1` }),
      });
      assert.equal(answer.headers['x-next-page'], next === null ? '' : String(next));
      assert.equal(answer.headers['x-prev-page'], previous === null ? '' : String(previous));
      assert.equal(answer.headers['x-total'], counted ? String(total) : undefined);
      assert.equal(answer.headers['x-total-pages'], counted ? String(pages) : undefined);
    }
    assert.deepEqual(walked, whole.body);
  });

  test(`${endpoint.name}: a page past the end is empty and links only to the first and last page`, async () => {
    const total = (await list({ per_page: 100 })).body.length;
    const page = index % 2 === 0 ? Math.max(2, total + 1) : 9_999;
    const answer = await list({ page, per_page: 1 });
    assert.deepEqual([answer.status, answer.body], [200, []]);
    const last = String(Math.max(1, total));
    assert.deepEqual(linksOf(answer), { first: '1 of 1', ...(counted && { last: `${last} of 1` }) });
    const { link: _link, ...numbers } = pageHeaders(answer);
    assert.deepEqual(numbers, {
      'x-page': String(page),
      'x-per-page': '1',
      'x-next-page': '',
      'x-prev-page': '',
      'x-total': counted ? String(total) : undefined,
      'x-total-pages': counted ? last : undefined,
    });
  });

  if (endpoint.keyset || TOKENS.has(endpoint.name)) continue;
  test(`${endpoint.name}: pagination=keyset changes nothing`, async () => {
    const [asked, plain] = [await list({ pagination: 'keyset', cursor: '!' }), await list()];
    assert.deepEqual([asked.status, asked.body], [200, plain.body]);
    const [{ link: _a, ...told }, { link: _b, ...wanted }] = [pageHeaders(asked), pageHeaders(plain)];
    assert.deepEqual(told, wanted);
  });
}

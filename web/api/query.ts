import type { Client, Loaded, OperationName, ParamsOf, ResultOf } from './call.ts';

/** A read of the API that a page shows. */
export interface Query<Result = unknown> {
  /** The seconds after which a visible page reads again; null for never. */
  readonly refetchSeconds: number | null;
  readonly load: (client: Client) => Promise<Loaded<Result>>;
}

export type Queries = Readonly<Record<string, Query>>;

/** The responses to queries, by their names. */
export type LoadedQueries<Q extends Queries> = {
  readonly [Name in keyof Q]: Q[Name] extends Query<infer Result> ? Loaded<Result> : never;
};

/** Declares a read of a page: `query('GET /projects/:id', { id }, 5)`. */
export function query<Name extends OperationName & `GET ${string}`>(
  operation: Name,
  params: ParamsOf<Name>,
  refetchSeconds: number | null = null,
): Query<ResultOf<Name>> {
  return { refetchSeconds, load: (client) => client.call(operation, params) };
}

/** A list that is not read, because the caller may not: for pages that show the rest. */
export const NO_ROWS: Query<readonly never[]> = {
  refetchSeconds: null,
  load: () => Promise.resolve({ value: [], total: 0, nextPage: null, etag: '' }),
};

/** The number of pages that `queryAll` reads at most. */
const MAX_PAGES = 10;

/** Declares a read of all rows of a list, at most a thousand, for a page that shows them together. */
export function queryAll<Name extends OperationName & `GET ${string}`>(
  operation: Name,
  params: ParamsOf<Name>,
  refetchSeconds: number | null = null,
): Query<ResultOf<Name>> {
  return { refetchSeconds, load: (client) => callAll(client, operation, params) };
}

/** Returns all rows of a list, at most a thousand. */
export async function callAll<Name extends OperationName>(
  client: Client,
  operation: Name,
  params: ParamsOf<Name>,
): Promise<Loaded<ResultOf<Name>>> {
  const pages: Loaded<ResultOf<Name>>[] = [];
  let next: number | null = 1;
  while (next !== null && pages.length < MAX_PAGES) {
    const loaded: Loaded<ResultOf<Name>> = await client.call(operation, { ...params, per_page: 100, page: next });
    pages.push(loaded);
    next = loaded.nextPage;
  }
  return {
    ...pages.at(-1)!,
    value: pages.flatMap(({ value }) => value as readonly unknown[]) as ResultOf<Name>,
    etag: joinEtags(pages),
  };
}

/** Returns a combined ETag of several responses; null if one of them has none. */
export function joinEtags(responses: readonly Loaded<unknown>[]): string | null {
  const etags = responses.map(({ etag }) => etag);
  return etags.includes(null) ? null : etags.join();
}

/** Returns the number of the page of a list, from 1, in the search parameters of an address. */
export function readPageNumber(search: URLSearchParams): number {
  return Math.max(1, Number(search.get('page')) || 1);
}

/** Loads all queries concurrently. Throws the error of the first query that failed, in their order. */
export async function loadQueries<Q extends Queries>(client: Client, queries: Q): Promise<LoadedQueries<Q>> {
  const entries = Object.entries(queries).map(async ([name, { load }]) => [name, await load(client)] as const);
  const results = await Promise.allSettled(entries);
  // Not the error that arrives first: the page of a project that the caller cannot see would differ from time to time.
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure !== undefined) throw (failure as PromiseRejectedResult).reason;
  return Object.fromEntries(
    results.map((result) => (result as PromiseFulfilledResult<[string, Loaded<unknown>]>).value),
  ) as LoadedQueries<Q>;
}

/** Returns the queries that a visible page reads again. */
export const selectPolled = (queries: Queries): Queries =>
  Object.fromEntries(Object.entries(queries).filter(([, { refetchSeconds }]) => refetchSeconds !== null));

/** Returns whether two responses to the same queries are the same, by their ETags. */
export function areSame(before: LoadedQueries<Queries> | null, after: LoadedQueries<Queries>): boolean {
  if (before === null || before === after) return before !== null;
  return Object.entries(after).every(([name, { etag }]) => etag !== null && before[name]?.etag === etag);
}

/**
 * Returns the responses, with previous responses in place of those with the same ETag, so that components that show them
 * are not rendered again.
 */
export function keepUnchanged<Q extends Queries>(
  before: LoadedQueries<Queries>,
  after: LoadedQueries<Q>,
): LoadedQueries<Q> {
  const entries = Object.entries(after as LoadedQueries<Queries>).map(([name, loaded]) => {
    const isUnchanged = loaded.etag !== null && before[name]?.etag === loaded.etag;
    return [name, isUnchanged ? before[name] : loaded] as const;
  });
  return Object.fromEntries(entries) as LoadedQueries<Q>;
}

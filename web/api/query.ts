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

/** Returns the number of the page of a list, from 1, in the search parameters of an address. */
export function readPageNumber(search: URLSearchParams): number {
  return Math.max(1, Number(search.get('page')) || 1);
}

/** Loads all queries at once. Throws the first error. */
export async function loadQueries<Q extends Queries>(client: Client, queries: Q): Promise<LoadedQueries<Q>> {
  const entries = Object.entries(queries).map(async ([name, { load }]) => [name, await load(client)] as const);
  return Object.fromEntries(await Promise.all(entries)) as LoadedQueries<Q>;
}

/** Returns whether two responses to the same queries are the same, by their ETags. */
export function areSame(before: LoadedQueries<Queries> | null, after: LoadedQueries<Queries>): boolean {
  if (before === null) return false;
  return Object.entries(after).every(([name, { etag }]) => etag !== null && before[name]?.etag === etag);
}

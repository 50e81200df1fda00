import type { Loaded, OperationName, ParamsOf, ResultOf } from './call.ts';
import type { Query } from './query.ts';

type ListOperation = {
  [Name in OperationName]: ResultOf<Name> extends readonly unknown[] ? Name : never;
}[OperationName] &
  `GET ${string}`;

/** Rows of a page of a list; the most that the server returns. */
const ROWS = 100;

/** Declares a read of all pages of a list, up to `maxPages` of 100 rows each; `nextPage` tells whether there are more. */
export function queryAllPages<Name extends ListOperation>(
  operation: Name,
  params: ParamsOf<Name>,
  {
    refetchSeconds = null,
    maxPages = 10,
  }: { readonly refetchSeconds?: number | null; readonly maxPages?: number } = {},
): Query<ResultOf<Name>> {
  return {
    refetchSeconds,
    async load(client) {
      const pages: Loaded<ResultOf<Name>>[] = [];
      for (let page: number | null = 1; page !== null && pages.length < maxPages; page = pages.at(-1)!.nextPage)
        pages.push(await client.call(operation, { ...params, per_page: ROWS, page } as ParamsOf<Name>));
      const last = pages.at(-1)!;
      // Unchanged only if all pages are.
      const etag = pages.some((page) => page.etag === null) ? null : pages.map((page) => page.etag).join();
      return { ...last, value: pages.flatMap(({ value }) => value as readonly unknown[]) as ResultOf<Name>, etag };
    },
  };
}

import type { Loaded } from '../api/call.ts';
import { readPageNumber } from '../api/query.ts';

/** Links to the previous and next page of a list; the page is the parameter `page` of the address. */
export function Pager({
  list,
  search,
  href,
}: {
  readonly list: Loaded<unknown>;
  readonly search: URLSearchParams;
  /** The address of the list without parameters. */
  readonly href: string;
}) {
  const page = readPageNumber(search);
  if (page <= 1 && list.nextPage === null) return null;
  const toHref = (target: number) => {
    const params = new URLSearchParams(search);
    params.set('page', String(target));
    return `${href}?${params}`;
  };
  return (
    <nav class="pager" aria-label="Pages of the list">
      {page > 1 ? (
        <a rel="prev" href={toHref(page - 1)}>
          Previous
        </a>
      ) : null}
      <span class="quiet">Page {page}</span>
      {list.nextPage === null ? null : (
        <a rel="next" href={toHref(list.nextPage)}>
          Next
        </a>
      )}
    </nav>
  );
}

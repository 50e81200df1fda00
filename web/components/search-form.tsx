/** The form that searches in a list: the text is the parameter `search` of the address. */
export function SearchForm({ action, search }: { readonly action: string; readonly search: URLSearchParams }) {
  return (
    <search>
      <form class="filters" action={action}>
        <label>
          Search <input type="search" name="search" value={search.get('search') ?? ''} />
        </label>
        <button type="submit">Show</button>
      </form>
    </search>
  );
}

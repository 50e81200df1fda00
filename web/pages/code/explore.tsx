import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Pager } from '../../components/pager.tsx';
import { ProjectRows } from '../../components/project-rows.tsx';
import { page } from '../../page.ts';
import { formatCount } from '../../text/names.ts';

const ORDERS = {
  last_activity_at: 'Last activity',
  created_at: 'Newest',
  name: 'Name',
  star_count: 'Stars',
} as const;

type Order = keyof typeof ORDERS;

function readOrder(search: URLSearchParams): Order {
  const order = search.get('order_by') ?? '';
  return order in ORDERS ? (order as Order) : 'last_activity_at';
}

/** All projects that the visitor can see. */
export const explore = page('explore', {
  queries: ({ search }) => {
    const order = readOrder(search);
    const text = search.get('search') ?? '';
    return {
      projects: query('GET /projects', {
        order_by: order,
        sort: order === 'name' ? 'asc' : 'desc',
        page: readPageNumber(search),
        ...(text === '' ? {} : { search: text }),
      }),
    };
  },
  title: () => 'Explore projects',
  render: ({ projects, location, location: { search, toUrl } }) => (
    <>
      <search>
        <form class="filters" action={toUrl(toPath('explore'))}>
          <label>
            Search <input type="search" name="search" value={search.get('search') ?? ''} />
          </label>
          <label>
            Order{' '}
            <select name="order_by">
              {Object.entries(ORDERS).map(([value, label]) => (
                <option key={value} value={value} selected={value === readOrder(search)}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      {projects.total === null ? null : <p class="quiet">{formatCount(projects.total, 'project')}</p>}
      <ProjectRows projects={projects} location={location} />
      <Pager list={projects} search={search} href={toUrl(toPath('explore'))} />
    </>
  ),
});

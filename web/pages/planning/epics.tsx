import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { EpicForm } from '../../components/epic-form.tsx';
import { EpicRows } from '../../components/epic-rows.tsx';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { LabelPicker } from '../../components/item-pickers.tsx';
import { Pager } from '../../components/pager.tsx';
import { can } from '../../components/project-navigation.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const STATES = ['opened', 'closed', 'all'] as const;
const ORDERS = ['created_at', 'updated_at', 'title'] as const;

function readFilters(search: URLSearchParams) {
  const [text, labels] = [search.get('search') ?? '', search.get('labels') ?? ''];
  const order_by = ORDERS.find((order) => order === search.get('order_by')) ?? 'created_at';
  return {
    state: STATES.find((state) => state === search.get('state')) ?? 'opened',
    order_by,
    sort: order_by === 'title' ? 'asc' : 'desc',
    with_labels_details: true,
    page: readPageNumber(search),
    ...(text === '' ? {} : { search: text }),
    ...(labels === '' ? {} : { labels }),
  } as const;
}

const queries = ({ values: { group: id = '' }, search }: PageLocation) => ({
  ...groupQueries(id),
  epics: query('GET /groups/:id/epics', { id, ...readFilters(search) }),
});

/** The epics of a group and its subgroups. */
export const epics = page('epics', {
  queries,
  title: () => 'Epics',
  navigation: (props) => <GroupNavigation {...props} current="epics" />,
  render: (props) => <EpicsContent {...props} />,
});

function EpicsContent({ group, abilities, epics, location }: PageProps<typeof queries>) {
  const { client, openUrl } = usePageActions();
  const { id, full_path } = group.value;
  const { search, toUrl } = location;
  const href = toUrl(toPath('epics', { group: full_path }));
  const filters = readFilters(search);
  return (
    <>
      <search>
        <form key={search.toString()} class="filters" action={href}>
          <label>
            Search <input type="search" name="search" value={search.get('search') ?? ''} />
          </label>
          <label>
            State{' '}
            <select name="state">
              {STATES.map((state) => (
                <option key={state} value={state} selected={state === filters.state}>
                  {state === 'opened' ? 'open' : state}
                </option>
              ))}
            </select>
          </label>
          <label>
            Order{' '}
            <select name="order_by">
              {ORDERS.map((order) => (
                <option key={order} value={order} selected={order === filters.order_by}>
                  {order.replace('_at', '')}
                </option>
              ))}
            </select>
          </label>
          <LabelPicker
            parent={{ type: 'group', id }}
            name="labels"
            selected={(search.get('labels') ?? '').split(',').filter(Boolean)}
          />
          <button type="submit">Show</button>
        </form>
      </search>
      <ToggledForm button="New epic" isPrimary isOffered={can(abilities, 'admin_epic')}>
        {(close) => (
          <EpicForm
            epic={null}
            parent={null}
            group={id}
            location={location}
            close={close}
            save={async (attributes) => {
              const { value } = await client.call('POST /groups/:id/epics', { id, ...attributes });
              openUrl(toUrl(toPath('epic', { group: full_path, epic_iid: String(value.iid) })));
            }}
          />
        )}
      </ToggledForm>
      {epics.value.length === 0 ? (
        <Empty
          title="No epics"
          text="Goals that consist of issues of several projects appear here."
          create={{ path: `/groups/${id}/epics`, data: 'title=Warm rooms' }}
          location={location}
        />
      ) : (
        <EpicRows epics={epics.value} />
      )}
      <Pager list={epics} search={search} href={href} />
    </>
  );
}

import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Empty } from '../../components/empty.tsx';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { IterationForm } from '../../components/iteration-form.tsx';
import { Pager } from '../../components/pager.tsx';
import { can } from '../../components/project-navigation.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';
import { nameIteration, nameIterationState } from '../../text/iterations.ts';

const STATES = ['opened', 'current', 'upcoming', 'closed', 'all'] as const;

const readState = (search: URLSearchParams) => STATES.find((state) => state === search.get('state')) ?? 'opened';

const queries = ({ values: { group: id = '' }, search }: PageLocation) => ({
  ...groupQueries(id),
  iterations: query('GET /groups/:id/iterations', { id, state: readState(search), page: readPageNumber(search) }),
});

/** The iterations of a group and of the groups above. */
export const iterations = page('iterations', {
  queries,
  title: () => 'Iterations',
  navigation: (props) => <GroupNavigation {...props} current="iterations" />,
  render: (props) => <IterationsContent {...props} />,
});

function IterationsContent({ group, abilities, iterations, location }: PageProps<typeof queries>) {
  const { client } = usePageActions();
  const { id } = group.value;
  const { search, values, toUrl } = location;
  const href = toUrl(toPath('iterations', values));
  return (
    <>
      <search>
        <form class="filters" action={href}>
          <label>
            State{' '}
            <select name="state">
              {STATES.map((state) => (
                <option key={state} value={state} selected={state === readState(search)}>
                  {state === 'opened' ? 'current and upcoming' : state}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      <ToggledForm button="New iteration" isPrimary isOffered={can(abilities, 'admin_iteration')}>
        {(close) => (
          <IterationForm
            iteration={null}
            location={location}
            close={close}
            save={(attributes) => client.call('POST /groups/:id/iterations', { id, ...attributes })}
          />
        )}
      </ToggledForm>
      {iterations.value.length === 0 ? (
        <Empty
          title="No iterations"
          text="Periods of some weeks for which a team plans its issues appear here."
          create={{ path: `/groups/${id}/iterations`, data: 'start_date=2027-01-04&due_date=2027-01-17' }}
          location={location}
        />
      ) : (
        <ul class="rows">
          {iterations.value.map((iteration) => (
            <li key={iteration.id} class="row">
              <div class="row-main">
                <a class="row-title" href={iteration.web_url}>
                  {nameIteration(iteration)}
                </a>{' '}
                <span class="badge">{nameIterationState(iteration.state)}</span>
                {iteration.title === null ? null : (
                  <p class="quiet">
                    {iteration.start_date} to {iteration.due_date}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      <Pager list={iterations} search={search} href={href} />
    </>
  );
}

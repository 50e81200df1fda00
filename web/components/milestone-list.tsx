import type { Loaded } from '../api/call.ts';
import type { Milestone } from '../api/operations.ts';
import { readPageNumber } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import { formatPeriod } from '../text/milestones.ts';
import { Empty } from './empty.tsx';
import { type MilestoneAttributes, MilestoneForm } from './milestone-form.tsx';
import { Pager } from './pager.tsx';
import { ToggledForm } from './toggled-form.tsx';

const STATES = ['active', 'closed', 'all'] as const;

/** Returns the parameters of a list of milestones in the address. */
export function readMilestoneFilters(search: URLSearchParams) {
  const text = search.get('search') ?? '';
  return {
    state: STATES.find((state) => state === search.get('state')) ?? 'active',
    include_ancestors: true,
    page: readPageNumber(search),
    ...(text === '' ? {} : { search: text }),
  } as const;
}

/** The milestones of a project or group and of the groups above. */
export function MilestoneList({
  milestones,
  create,
  href,
  apiPath,
  location,
}: {
  readonly milestones: Loaded<readonly Milestone[]>;
  /** Null for callers who may not create milestones. */
  readonly create: ((attributes: MilestoneAttributes) => Promise<unknown>) | null;
  /** The address of this list. */
  readonly href: string;
  /** The path below /api/v4 that creates a milestone. */
  readonly apiPath: string;
  readonly location: PageLocation;
}) {
  const { search } = location;
  return (
    <>
      <search>
        <form class="filters" action={href}>
          <label>
            Search <input type="search" name="search" value={search.get('search') ?? ''} />
          </label>
          <label>
            State{' '}
            <select name="state">
              {STATES.map((state) => (
                <option key={state} value={state} selected={state === readMilestoneFilters(search).state}>
                  {state}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      {create === null ? null : (
        <ToggledForm button="New milestone" isPrimary>
          {(close) => <MilestoneForm milestone={null} location={location} close={close} save={create} />}
        </ToggledForm>
      )}
      {milestones.value.length === 0 ? (
        <Empty
          title="No milestones"
          text="What issues and merge requests are to be finished for, such as a release, appears here."
          create={{ path: apiPath, data: 'title=Winter' }}
          location={location}
        />
      ) : (
        <ul class="rows">
          {milestones.value.map((milestone) => (
            <li key={milestone.id} class="row">
              <div class="row-main">
                <a class="row-title" href={milestone.web_url}>
                  {milestone.title}
                </a>{' '}
                <MilestoneBadges milestone={milestone} />
                <p class="quiet">{formatPeriod(milestone.start_date, milestone.due_date)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Pager list={milestones} search={search} href={href} />
    </>
  );
}

/** The state of a milestone, if it is not an active one before its due date. */
export function MilestoneBadges({ milestone }: { readonly milestone: Milestone }) {
  return (
    <>
      {milestone.state === 'closed' ? <span class="badge">closed</span> : null}{' '}
      {milestone.state === 'active' && milestone.expired ? <span class="badge">expired</span> : null}
    </>
  );
}

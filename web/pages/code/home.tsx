import type { JSX } from 'preact';
import { toPath } from '../../addresses.ts';
import type { Loaded } from '../../api/call.ts';
import type { IssueInList, MergeRequestInList, MergeRequestSimple, Todo } from '../../api/operations.ts';
import { query } from '../../api/query.ts';
import { ProjectRows } from '../../components/project-rows.tsx';
import { Time } from '../../components/time.tsx';
import { page } from '../../page.ts';

/** The seconds after which the lists of a signed-in user are read again. */
const REFETCH_SECONDS = 60;

/** The first page: the public projects for visitors, and for users what waits for them. */
export const home = page('home', {
  queries: ({ session: { userId } }) =>
    userId === null
      ? { projects: query('GET /projects', { visibility: 'public', order_by: 'last_activity_at' }) }
      : {
          todos: query('GET /todos', { per_page: 10 }, REFETCH_SECONDS),
          mergeRequests: query(
            'GET /merge_requests',
            { scope: 'all', state: 'opened', assignee_id: userId, per_page: 10 },
            REFETCH_SECONDS,
          ),
          issues: query('GET /issues', { scope: 'assigned_to_me', state: 'opened', per_page: 10 }, REFETCH_SECONDS),
          projects: query('GET /projects', { membership: true, order_by: 'last_activity_at', per_page: 10 }),
        },
  title: (_loaded, { session }) => (session.userId === null ? 'Public projects' : 'Your work'),
  render: ({ projects, todos, mergeRequests, issues, location, location: { toUrl, session } }) => (
    <>
      {session.userId === null ? (
        <p>
          <a href={toUrl('/users/sign_in?redirect_to_referer=yes')}>Sign in</a> to see your own work.
        </p>
      ) : null}
      {todos === undefined ? null : (
        <>
          <Section title="To-do items" items={todos} empty="Nothing waits for you." render={TodoRow} />
          <p>
            <a href={toUrl(toPath('todos'))}>Your to-do list</a>
          </p>
        </>
      )}
      {mergeRequests === undefined ? null : (
        <Section
          title="Merge requests"
          items={mergeRequests}
          empty="No open merge request is assigned to you."
          render={ItemRow}
        />
      )}
      {issues === undefined ? null : (
        <Section title="Issues" items={issues} empty="No open issue is assigned to you." render={ItemRow} />
      )}
      {session.userId === null ? null : <h2>Projects</h2>}
      <ProjectRows projects={projects} location={location} />
      <p>
        <a href={toUrl(toPath('explore'))}>Explore all projects</a>
        {session.userId === null ? null : (
          <>
            {' · '}
            <a href={toUrl(toPath('newProject'))}>New project</a> · <a href={toUrl(toPath('newGroup'))}>New group</a>
          </>
        )}
      </p>
    </>
  ),
});

function Section<Item extends { readonly id: number }>({
  title,
  items,
  empty,
  render: Row,
}: {
  readonly title: string;
  readonly items: Loaded<readonly Item[]>;
  readonly empty: string;
  readonly render: (props: { readonly item: Item }) => JSX.Element;
}) {
  return (
    <section>
      <h2>
        {title} {items.total === null ? null : <span class="badge">{items.total}</span>}
      </h2>
      {items.value.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        <ul class="rows">
          {items.value.map((item) => (
            <li key={item.id} class="row">
              <Row item={item} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TodoRow({ item }: { readonly item: Todo }) {
  return (
    <>
      <a class="row-title row-main" href={item.target_url}>
        {item.body}
      </a>
      <span class="row-facts quiet">
        {item.action_name.replaceAll('_', ' ')} by {item.author.name} <Time value={item.created_at} />
      </span>
    </>
  );
}

function ItemRow({ item }: { readonly item: IssueInList | MergeRequestInList | MergeRequestSimple }) {
  return (
    <>
      <a class="row-title row-main" href={item.web_url}>
        {item.title}
      </a>
      <span class="row-facts quiet">
        {'references' in item ? item.references.full : null} <Time value={item.updated_at} />
      </span>
    </>
  );
}

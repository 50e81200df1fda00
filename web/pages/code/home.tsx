import type { JSX } from 'preact';
import { toPath } from '../../addresses.ts';
import type { Loaded, ResultOf } from '../../api/call.ts';
import type { IssueInList, MergeRequestInList, MergeRequestSimple, Todo } from '../../api/operations.ts';
import { type Query, query } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { EventRows, queryEvents } from '../../components/event-rows.tsx';
import { ProjectRows } from '../../components/project-rows.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The seconds after which the lists of a signed-in user are read again. */
const REFETCH_SECONDS = 60;

/** The home page: the public projects for visitors; for users their to-do items, work and activity. */
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
  later: ({ projects }, { session: { userId } }) =>
    userId === null
      ? {}
      : {
          pipelines: queryPipelines(),
          events: queryEvents((client) => client.call('GET /events', { scope: 'all', per_page: 10 }), projects.value),
        },
  title: (_loaded, { session }) => (session.userId === null ? 'Public projects' : 'Your work'),
  render: ({ projects, todos, mergeRequests, issues, later, location, location: { toUrl, session } }) => (
    <>
      {session.userId === null ? (
        <p>
          <a href={toUrl('/users/sign_in?redirect_to_referer=yes')}>Sign in</a> to see your own work.
        </p>
      ) : null}
      {todos === undefined ? null : (
        <>
          <Section
            title="To-do items"
            items={todos}
            empty="Nothing waits for you."
            render={({ item }) => <TodoRow item={item} location={location} />}
          />
          {todos.value.length > 1 ? <AllTodosDone location={location} /> : null}
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
      <WhenNear>
        {later?.pipelines === undefined ? null : (
          <Section
            title="Your pipelines"
            items={later.pipelines}
            empty="You have started no pipeline in your latest projects."
            render={PipelineRow}
          />
        )}
        {later?.events === undefined ? null : (
          <section>
            <h2>Activity</h2>
            {later.events.value.length === 0 ? (
              <p class="quiet">What happens in your projects appears here.</p>
            ) : (
              <EventRows events={later.events.value} location={location} />
            )}
          </section>
        )}
      </WhenNear>
    </>
  ),
});

type Pipeline = ResultOf<'GET /projects/:id/pipelines'>[number];

/** The numbers of projects whose pipelines are read, and of pipelines that are shown. */
const MAX_PIPELINE_PROJECTS = 5;
const MAX_PIPELINES = 5;

/**
 * Declares a read of the latest pipelines that the user has started. It reads one list per project, because the API has no
 * common list.
 */
function queryPipelines(): Query<readonly PipelineOfProject[]> {
  return {
    refetchSeconds: null,
    async load(client) {
      const [{ value: user }, projects] = await Promise.all([
        client.call('GET /user', {}),
        client.call('GET /projects', {
          membership: true,
          // Reporters see the pipelines of private projects.
          min_access_level: 20,
          order_by: 'last_activity_at',
          per_page: MAX_PIPELINE_PROJECTS,
        }),
      ]);
      const lists = projects.value.filter(hasPipelines).map(async ({ id, path_with_namespace: project }) => {
        const params = { id, username: user.username, order_by: 'updated_at', per_page: MAX_PIPELINES } as const;
        const { value } = await client.call('GET /projects/:id/pipelines', params);
        return value.map((pipeline) => ({ ...pipeline, project }));
      });
      const pipelines = (await Promise.all(lists)).flat();
      const value = pipelines.sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, MAX_PIPELINES);
      return { value, total: null, nextPage: null, etag: null };
    },
  };
}

interface PipelineOfProject extends Pipeline {
  /** The full path of its project. */
  readonly project: string;
}

const hasPipelines = (project: object): boolean =>
  'builds_access_level' in project &&
  project.builds_access_level !== 'disabled' &&
  'repository_access_level' in project &&
  project.repository_access_level !== 'disabled';

function PipelineRow({ item }: { readonly item: PipelineOfProject }) {
  return (
    <>
      <span class="row-main">
        <Status status={item.status} />{' '}
        <a class="row-title" href={item.web_url}>
          #{item.id}
        </a>{' '}
        <bdi>{item.ref}</bdi>
      </span>
      <span class="row-facts quiet">
        {item.project} <Time value={item.updated_at} />
      </span>
    </>
  );
}

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

function TodoRow({ item, location }: { readonly item: Todo; readonly location: PageLocation }) {
  const { client } = usePageActions();
  return (
    <>
      <a class="row-title row-main" href={item.target_url}>
        {item.body}
      </a>
      <span class="row-facts quiet">
        <span>
          {item.action_name.replaceAll('_', ' ')} by <bdi>{item.author.name}</bdi>
        </span>{' '}
        <Time value={item.created_at} />
      </span>
      <div class="row-actions">
        <ActionButton
          run={() => client.call('POST /todos/:id/mark_as_done', { id: item.id })}
          location={location}
          done="The to-do item is done."
        >
          Done<span class="hidden"> {item.body}</span>
        </ActionButton>
      </div>
    </>
  );
}

function AllTodosDone({ location }: { readonly location: PageLocation }) {
  const { client } = usePageActions();
  return (
    <p>
      <ActionButton
        run={() => client.call('POST /todos/mark_as_done', {})}
        location={location}
        confirm={{
          title: 'Mark all to-do items as done?',
          text: 'This includes those that are not shown here.',
          label: 'Mark all as done',
        }}
        done="All to-do items are done."
      >
        Mark all as done
      </ActionButton>
    </p>
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

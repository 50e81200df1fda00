import { toPath } from '../../addresses.ts';
import type { Todo } from '../../api/operations.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Pager } from '../../components/pager.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const STATES = [
  ['pending', 'to do'],
  ['done', 'done'],
] as const;

const TYPES = [
  ['Issue', 'issues'],
  ['MergeRequest', 'merge requests'],
  ['Epic', 'epics'],
  ['Commit', 'commits'],
] as const;

const ACTIONS: Readonly<Record<Todo['action_name'], string>> = {
  assigned: 'assigned this to you',
  review_requested: 'asked you for a review',
  mentioned: 'mentioned you',
  directly_addressed: 'addressed you',
  build_failed: 'started a pipeline that failed',
  unmergeable: 'opened this, which cannot be merged',
  marked: 'added this',
};

/** The seconds after which the list is read again. */
const REFETCH_SECONDS = 60;

function readFilters(search: URLSearchParams) {
  const type = TYPES.find(([value]) => value === search.get('type'))?.[0];
  return {
    state: STATES.find(([state]) => state === search.get('state'))?.[0] ?? 'pending',
    page: readPageNumber(search),
    ...(type === undefined ? {} : { type }),
  } as const;
}

const queries = ({ search }: PageLocation) => ({ todos: query('GET /todos', readFilters(search), REFETCH_SECONDS) });

/** The pending or done to-do items of the signed-in user. */
export const todos = page('todos', {
  queries,
  title: () => 'To-do list',
  render: (props) => <TodosContent {...props} />,
});

function TodosContent({ todos, location }: PageProps<typeof queries>) {
  const { client } = usePageActions();
  const { search, toUrl } = location;
  const { state, type } = readFilters(search);
  const href = toUrl(toPath('todos'));
  return (
    <>
      <search>
        <form class="filters" action={href}>
          <label>
            State{' '}
            <select name="state">
              {STATES.map(([value, label]) => (
                <option key={value} value={value} selected={value === state}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <label>
            About{' '}
            <select name="type">
              <option value="">all</option>
              {TYPES.map(([value, label]) => (
                <option key={value} value={value} selected={value === type}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      {state === 'done' || todos.value.length === 0 ? null : (
        <ActionButton
          location={location}
          run={() => client.call('POST /todos/mark_as_done', {})}
          done="Everything is marked as done."
          confirm={{
            title: 'Mark everything as done?',
            text: 'All items of your to-do list are marked, also those that the filters hide.',
            label: 'Mark all as done',
          }}
        >
          Mark all as done
        </ActionButton>
      )}
      {todos.value.length === 0 ? (
        <div class="empty">
          <p class="empty-title">{state === 'done' ? 'Nothing is done yet' : 'Nothing waits for you'}</p>
          <p class="quiet">
            What is assigned to you, reviews that you are asked for and comments that mention you appear here. Issues,
            merge requests and epics have a button that adds them.
          </p>
        </div>
      ) : (
        <ul class="rows">
          {todos.value.map((todo) => (
            <li key={todo.id} class="row">
              <TodoRow todo={todo} location={location} />
            </li>
          ))}
        </ul>
      )}
      <Pager list={todos} search={search} href={href} />
    </>
  );
}

function TodoRow({ todo, location }: { readonly todo: Todo; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const place = todo.project?.path_with_namespace ?? todo.group?.full_path;
  const title = todo.target?.title ?? todo.body;
  return (
    <>
      <div class="row-main">
        <a class="row-title" href={todo.target_url}>
          {title}
        </a>
        {todo.body === title ? null : <p class="clamp">{todo.body}</p>}
        <p class="quiet row-details">
          <UserLink user={todo.author} /> {ACTIONS[todo.action_name]} in {place} <Time value={todo.created_at} />
        </p>
      </div>
      {todo.state === 'done' ? null : (
        <ActionButton
          location={location}
          run={() => client.call('POST /todos/:id/mark_as_done', { id: todo.id })}
          done="The item is marked as done."
        >
          Mark as done<span class="hidden"> {title}</span>
        </ActionButton>
      )}
    </>
  );
}

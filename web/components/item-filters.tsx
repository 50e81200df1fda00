import type { ComponentChildren } from 'preact';
import { readPageNumber } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import { type ItemParent, LabelPicker, MilestonePicker, UserPicker } from './item-pickers.tsx';

/** Filters of lists of issues and merge requests. The parameters of the address have the names of the API. */

/** The states and orders that a list has, with their labels; the first ones are the defaults. */
interface ItemListOptions<State extends string, Order extends string> {
  readonly states: readonly (readonly [State, string])[];
  readonly orders: readonly (readonly [Order, string])[];
}

/** The texts that are passed on to the API as they are. */
const TEXT_FILTERS = ['search', 'author_username', 'assignee_username', 'labels', 'milestone'] as const;

type TextFilters = { readonly [Name in (typeof TEXT_FILTERS)[number]]?: string };

/** Returns the parameters of a list of issues or merge requests; unknown states and orders are the defaults. */
export function readItemFilters<State extends string, Order extends string>(
  search: URLSearchParams,
  { states, orders }: ItemListOptions<State, Order>,
) {
  const texts = TEXT_FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name)] as const] : []));
  return {
    scope: 'all',
    state: readChoice(search.get('state'), states),
    order_by: readChoice(search.get('order_by'), orders),
    sort: search.get('sort') === 'asc' ? 'asc' : 'desc',
    with_labels_details: true,
    page: readPageNumber(search),
    ...(Object.fromEntries(texts) as TextFilters),
  } as const;
}

function readChoice<Value extends string>(value: string | null, choices: readonly (readonly [Value, string])[]): Value {
  return (choices.find(([choice]) => choice === value) ?? choices[0]!)[0];
}

const ANY_OR_NONE = ['Any', 'None'].map((value) => ({ value, text: value }));

/** The form of the filters. `children` are further fields. */
export function ItemFilters<State extends string, Order extends string>({
  options: { states, orders },
  parent,
  action,
  location: { search },
  children,
}: {
  readonly options: ItemListOptions<State, Order>;
  readonly parent: ItemParent;
  /** The address of the list. */
  readonly action: string;
  readonly location: PageLocation;
  readonly children?: ComponentChildren;
}) {
  const read = (name: string) => search.get(name) ?? '';
  const readUser = (name: string) => (read(name) === '' ? [] : [{ id: 0, name: read(name), username: read(name) }]);
  const labels = read('labels').split(',').filter(Boolean);
  const milestone = read('milestone');
  return (
    <search>
      {/* A new list has a new form: the fields have the values of its address. */}
      <form key={search.toString()} class="filters" action={action}>
        <label>
          Search <input type="search" name="search" value={read('search')} />
        </label>
        <Choice label="State" name="state" choices={states} value={readChoice(search.get('state'), states)} />
        <Choice label="Order" name="order_by" choices={orders} value={readChoice(search.get('order_by'), orders)} />
        <Choice label="Direction" name="sort" choices={DIRECTIONS} value={readChoice(search.get('sort'), DIRECTIONS)} />
        <UserPicker
          label="Author"
          parent={parent}
          name="author_username"
          value="username"
          selected={readUser('author_username')}
          empty="anybody"
        />
        <UserPicker
          label="Assignee"
          parent={parent}
          name="assignee_username"
          value="username"
          selected={readUser('assignee_username')}
          empty="anybody"
        />
        <LabelPicker parent={parent} name="labels" selected={labels} fixed={ANY_OR_NONE} />
        <MilestonePicker
          parent={parent}
          name="milestone"
          value="title"
          selected={milestone === '' ? [] : [{ id: 0, title: milestone }]}
          empty="all"
          fixed={ANY_OR_NONE}
        />
        {children}
        <button type="submit">Show</button>
      </form>
    </search>
  );
}

const DIRECTIONS = [
  ['desc', 'descending'],
  ['asc', 'ascending'],
] as const;

function Choice<Value extends string>({
  label,
  name,
  choices,
  value,
}: {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly (readonly [Value, string])[];
  readonly value: Value;
}) {
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

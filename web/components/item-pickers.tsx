import type { Client } from '../api/call.ts';
import type { Milestone, UserBasic } from '../api/operations.ts';
import { usePageActions } from '../page.ts';
import { getLabelTitle, Label, type LabelOrTitle } from './label.tsx';
import { Picker, type PickerOption } from './picker.tsx';

/** Pickers of labels, users and milestones for issues, merge requests and epics. */

/** The project or group whose labels, members and milestones are offered. */
export interface ItemParent {
  readonly type: 'project' | 'group';
  /** Its full path or id. */
  readonly id: string | number;
}

interface PickerProps {
  readonly parent: ItemParent;
  readonly name: string;
}

/** A picker of labels; its value are their titles. */
export function LabelPicker({
  parent,
  name,
  selected,
  fixed,
}: PickerProps & { readonly selected: readonly LabelOrTitle[]; readonly fixed?: readonly PickerOption[] }) {
  const { client } = usePageActions();
  return (
    <Picker
      label="Labels"
      name={name}
      isMultiple
      {...(fixed === undefined ? { empty: 'none' } : { empty: 'any', fixed })}
      selected={selected.map(toLabelOption)}
      search={async (text) => (await listLabels(client, parent, text)).value.map(toLabelOption)}
    />
  );
}

function toLabelOption(label: LabelOrTitle): PickerOption {
  const title = getLabelTitle(label);
  return { value: title, text: title, content: <Label label={label} /> };
}

/** Offers the number of results that fit on a screen. */
const RESULTS = { per_page: 20 } as const;

const listLabels = (client: Client, { type, id }: ItemParent, text: string) => {
  const params = { id, ...RESULTS, ...(text === '' ? {} : { search: text }) };
  return type === 'project'
    ? client.call('GET /projects/:id/labels', params)
    : client.call('GET /groups/:id/labels', params);
};

type User = Pick<UserBasic, 'id' | 'name' | 'username'>;

/** A picker of users; its value are their ids, or usernames as filters take them. */
export function UserPicker({
  label,
  parent,
  name,
  value,
  isMultiple = false,
  selected,
  empty,
}: PickerProps & {
  readonly label: string;
  readonly value: 'id' | 'username';
  readonly isMultiple?: boolean;
  readonly selected: readonly User[];
  readonly empty: string;
}) {
  const { client } = usePageActions();
  const toOption = (user: User): PickerOption => ({
    value: String(user[value]),
    text: user.name,
    content: (
      <>
        <bdi>{user.name}</bdi> <span class="quiet">@{user.username}</span>
      </>
    ),
  });
  return (
    <Picker
      label={label}
      name={name}
      isMultiple={isMultiple}
      empty={empty}
      selected={selected.map(toOption)}
      search={async (text) => (await listUsers(client, parent, text)).map(toOption)}
    />
  );
}

async function listUsers(client: Client, { type, id }: ItemParent, text: string): Promise<readonly User[]> {
  if (type === 'project')
    return (await client.call('GET /projects/:id/users', { id, ...RESULTS, ...(text === '' ? {} : { search: text }) }))
      .value;
  return (await client.call('GET /groups/:id/members/all', { id, ...RESULTS, ...(text === '' ? {} : { query: text }) }))
    .value;
}

/** A picker of a milestone of the project or group and the groups above; its value is the id, or the title as filters take it. */
export function MilestonePicker({
  parent,
  name,
  value,
  selected,
  empty,
  fixed,
}: PickerProps & {
  readonly value: 'id' | 'title';
  readonly selected: readonly Pick<Milestone, 'id' | 'title'>[];
  readonly empty: string;
  readonly fixed?: readonly PickerOption[];
}) {
  const { client } = usePageActions();
  const toOption = (milestone: Pick<Milestone, 'id' | 'title'>): PickerOption => ({
    value: String(milestone[value]),
    text: milestone.title,
  });
  return (
    <Picker
      label="Milestone"
      name={name}
      isMultiple={false}
      empty={empty}
      {...(fixed === undefined ? {} : { fixed })}
      selected={selected.map(toOption)}
      search={async (text) => (await listMilestones(client, parent, text)).value.map(toOption)}
    />
  );
}

function listMilestones(client: Client, { type, id }: ItemParent, text: string) {
  const search = text === '' ? {} : { search: text };
  const params = { id, state: 'active', include_ancestors: true, ...search, ...RESULTS } as const;
  return type === 'project'
    ? client.call('GET /projects/:id/milestones', params)
    : client.call('GET /groups/:id/milestones', params);
}

import { type ComponentChildren, Fragment } from 'preact';
import type { Client, Loaded, ResultOf } from '../api/call.ts';
import { type Query, readPageNumber } from '../api/query.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText, SelectField, TextField } from './form.tsx';
import { Pager } from './pager.tsx';
import { SearchForm } from './search-form.tsx';
import { ToggledForm } from './toggled-form.tsx';
import { UserLink } from './user-link.tsx';

/** The members of groups and projects, which the API treats alike. */

type Member = ResultOf<'GET /projects/:id/members'>[number];

/** A group or project, and the actions on its members that the visitor may perform. */
interface MemberParent {
  readonly kind: 'group' | 'project';
  readonly id: number;
  /** Its name in sentences. */
  readonly name: string;
  readonly mayManage: boolean;
  readonly mayAddOwners: boolean;
}

/** Direct members, and those of the groups above, if there is only one page of direct ones. */
export interface Members {
  readonly direct: readonly Member[];
  readonly inherited: readonly Member[];
}

const PER_PAGE = 100;

/** Declares the read of the members of a group or project. */
export function queryMembers(kind: MemberParent['kind'], id: string, { search }: PageLocation): Query<Members> {
  const text = search.get('search') ?? '';
  const filter = { id, per_page: PER_PAGE, ...(text === '' ? {} : { query: text }) };
  const page = readPageNumber(search);
  const list = (client: Client) =>
    kind === 'project'
      ? client.call('GET /projects/:id/members', { ...filter, page })
      : client.call('GET /groups/:id/members', { ...filter, page });
  const listAll = (client: Client, direct: readonly Member[]) => {
    const others =
      direct.length === 0 ? filter : { ...filter, skip_users: direct.map((member) => member.id).join(',') };
    return kind === 'project'
      ? client.call('GET /projects/:id/members/all', others)
      : client.call('GET /groups/:id/members/all', others);
  };
  return {
    refetchSeconds: null,
    async load(client): Promise<Loaded<Members>> {
      const direct = await list(client);
      const isComplete = page === 1 && direct.nextPage === null;
      const inherited = isComplete ? (await listAll(client, direct.value)).value : [];
      return { ...direct, value: { direct: direct.value, inherited }, etag: null };
    },
  };
}

/** The lists of members, with the forms that change them. */
export function MemberLists({
  parent,
  members,
  address,
  location,
}: {
  readonly parent: MemberParent;
  readonly members: Loaded<Members>;
  /** The path of the page. */
  readonly address: string;
  readonly location: PageLocation;
}) {
  const { search, toUrl } = location;
  const { direct, inherited } = members.value;
  return (
    <>
      {parent.mayManage ? <AddMember parent={parent} location={location} /> : null}
      <SearchForm action={toUrl(address)} search={search} />
      {direct.length === 0 ? (
        <p class="quiet">No direct members{search.has('search') ? ' have this name' : ''}.</p>
      ) : (
        <MemberRows members={direct}>
          {(member) => <MemberActions member={member} parent={parent} location={location} />}
        </MemberRows>
      )}
      <Pager list={members} search={search} href={toUrl(address)} />
      {inherited.length === 0 ? null : (
        <>
          <h2>Members of the groups above</h2>
          <MemberRows members={inherited}>{() => null}</MemberRows>
        </>
      )}
    </>
  );
}

function MemberRows({
  members,
  children,
}: {
  readonly members: readonly Member[];
  readonly children: (member: Member) => ComponentChildren;
}) {
  return (
    <ul class="rows">
      {members.map((member) => (
        <li key={member.id} class="row">
          <span class="row-main">
            <UserLink user={member} /> <span class="quiet">@{member.username}</span>{' '}
            {member.state === 'active' ? null : <span class="badge">{member.state}</span>}
          </span>
          <span class="row-facts quiet">
            <span>{formatRole(member.access_level)}</span>
            {member.expires_at === null ? null : <span>until {member.expires_at}</span>}
          </span>
          <div class="row-actions">{children(member)}</div>
        </li>
      ))}
    </ul>
  );
}

/** The fields of a membership. */
function RoleFields({
  parent,
  level,
  expiresAt,
}: {
  readonly parent: MemberParent;
  /** The role. */
  readonly level: number;
  readonly expiresAt: string | null;
}) {
  return (
    <>
      <SelectField
        label="Role"
        name="access_level"
        value={level}
        options={ROLES.filter(([role]) => role < 50 || parent.mayAddOwners || role === level)}
      />
      <TextField
        label="Expires on"
        name="expires_at"
        type="date"
        defaultValue={expiresAt ?? ''}
        hint="If empty, the membership does not end."
      />
    </>
  );
}

function readRole(values: FormData) {
  const expiresAt = readText(values, 'expires_at');
  return { access_level: Number(readText(values, 'access_level')), expires_at: expiresAt === '' ? null : expiresAt };
}

function AddMember({ parent, location }: { readonly parent: MemberParent; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const add = async (values: FormData) => {
    const params = { id: parent.id, username: readText(values, 'username').trim(), ...readRole(values) };
    if (parent.kind === 'project') await client.call('POST /projects/:id/members', params);
    else await client.call('POST /groups/:id/members', params);
  };
  return (
    <ToggledForm button="Add a member">
      {(close) => (
        <Form
          label="Add a member"
          submitLabel="Add member"
          submit={async (values) => {
            await add(values);
            close();
          }}
          location={location}
          done="The member was added."
          onCancel={close}
        >
          <TextField label="Username" name="username" required autocomplete="off" />
          <RoleFields parent={parent} level={30} expiresAt={null} />
        </Form>
      )}
    </ToggledForm>
  );
}

function MemberActions({
  member,
  parent,
  location,
}: {
  readonly member: Member;
  readonly parent: MemberParent;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const isSelf = location.session.userId === member.id;
  const params = { id: parent.id, user_id: member.id };
  const update = async (values: FormData) => {
    const changes = { ...params, ...readRole(values) };
    if (parent.kind === 'project') await client.call('PUT /projects/:id/members/:user_id', changes);
    else await client.call('PUT /groups/:id/members/:user_id', changes);
  };
  const remove = () =>
    parent.kind === 'project'
      ? client.call('DELETE /projects/:id/members/:user_id', params)
      : client.call('DELETE /groups/:id/members/:user_id', params);
  const name = <span class="hidden"> {member.name}</span>;
  const removal = isSelf
    ? { title: `Leave ${parent.name}?`, text: 'You lose the access that this membership gives you.', label: 'Leave' }
    : {
        title: `Remove ${member.name}?`,
        text: `${member.name} loses the access that this membership gives.`,
        label: 'Remove member',
      };
  const removeButton =
    parent.mayManage || isSelf ? (
      <ActionButton run={remove} location={location} confirm={removal} done="The member was removed.">
        {isSelf ? 'Leave' : <Fragment>Remove{name}</Fragment>}
      </ActionButton>
    ) : null;
  if (!parent.mayManage) return removeButton;
  return (
    <ToggledForm button={<Fragment>Change{name}</Fragment>} actions={removeButton}>
      {(close) => (
        <Form
          label={`Change the membership of ${member.name}`}
          submitLabel="Save"
          submit={async (values) => {
            await update(values);
            close();
          }}
          location={location}
          done="The membership was changed."
          onCancel={close}
        >
          <RoleFields parent={parent} level={member.access_level} expiresAt={member.expires_at} />
        </Form>
      )}
    </ToggledForm>
  );
}

/** The roles of members, from the lowest. */
const ROLES: readonly (readonly [level: number, name: string])[] = [
  [10, 'Guest'],
  [15, 'Planner'],
  [20, 'Reporter'],
  [30, 'Developer'],
  [40, 'Maintainer'],
  [50, 'Owner'],
];

/** Returns the name of a role. */
const formatRole = (role: number): string => ROLES.find(([level]) => level === role)?.[1] ?? String(role);

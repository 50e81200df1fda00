import { toPath } from '../../addresses.ts';
import type { Client, Loaded, ResultOf } from '../../api/call.ts';
import { type Query, query } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { readText, SelectField } from '../../components/form.tsx';
import {
  type NotificationChange,
  NotificationForm,
  type NotificationSetting,
} from '../../components/notification-level.tsx';
import { SearchForm } from '../../components/search-form.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The numbers of groups and of projects whose settings are shown. */
const MAX_ROWS = 20;

/** A group or project that has the user as a member, with the setting. */
interface MemberSetting {
  readonly kind: 'group' | 'project';
  readonly id: number;
  /** The full name. */
  readonly name: string;
  readonly setting: NotificationSetting;
}

/** Which mails the user gets. */
export const accountNotifications = page('accountNotifications', {
  queries: () => ({
    setting: query('GET /notification_settings', {}),
    emails: query('GET /user/emails', { per_page: 100 }),
    user: query('GET /user', {}),
  }),
  later: (_loaded, { search }) => ({ members: queryMemberSettings(search.get('search') ?? '') }),
  title: () => 'Notifications',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountNotifications" />,
  render: ({ setting, emails, user, later, location }) => (
    <>
      <h2>All groups and projects</h2>
      <GlobalForm
        key={JSON.stringify(setting.value)}
        setting={setting.value}
        addresses={[user.value.email, ...listConfirmed(emails.value)]}
        location={location}
      />
      <h2>Single groups and projects</h2>
      <SearchForm action={location.toUrl(toPath('accountNotifications'))} search={location.search} />
      <WhenNear>
        {later?.members.value.length === 0 ? (
          <p class="quiet">
            {location.search.has('search')
              ? 'None of your groups and projects has this name.'
              : 'Groups and projects of which you are a member appear here, with a setting of their own.'}
          </p>
        ) : (
          later?.members.value.map((member) => (
            <MemberForm key={JSON.stringify(member)} member={member} location={location} />
          ))
        )}
      </WhenNear>
    </>
  ),
});

const listConfirmed = (emails: ResultOf<'GET /user/emails'>): readonly string[] =>
  emails.filter(({ confirmed_at }) => confirmed_at !== null).map(({ email }) => email);

/** Reads the settings of the groups and recently used projects of the user whose names contain the text. */
function queryMemberSettings(text: string): Query<readonly MemberSetting[]> {
  return {
    refetchSeconds: null,
    async load(client: Client): Promise<Loaded<readonly MemberSetting[]>> {
      const search = text === '' ? {} : { search: text };
      const [groups, projects] = await Promise.all([
        client.call('GET /groups', { min_access_level: 10, per_page: MAX_ROWS, ...search }),
        client.call('GET /projects', {
          membership: true,
          order_by: 'last_activity_at',
          simple: true,
          per_page: MAX_ROWS,
          ...search,
        }),
      ]);
      const value = await Promise.all([
        ...groups.value.map(async ({ id, full_name: name }) => {
          const setting = (await client.call('GET /groups/:id/notification_settings', { id })).value;
          return { kind: 'group', id, name, setting } as const;
        }),
        ...projects.value.map(async ({ id, name_with_namespace: name }) => {
          const setting = (await client.call('GET /projects/:id/notification_settings', { id })).value;
          return { kind: 'project', id, name, setting } as const;
        }),
      ]);
      return { value, total: null, nextPage: null, etag: null };
    },
  };
}

type GlobalSetting = ResultOf<'GET /notification_settings'>;

function GlobalForm({
  setting,
  addresses,
  location,
}: {
  readonly setting: GlobalSetting;
  readonly addresses: readonly string[];
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const { notification_email: current } = setting;
  const save = (change: NotificationChange, form: FormData) => {
    const address = readText(form, 'notification_email');
    return client.call('PUT /notification_settings', {
      ...change,
      ...(address === current ? {} : { notification_email: address }),
    });
  };
  return (
    <NotificationForm label="all groups and projects" setting={setting} save={save} isGlobal location={location}>
      <SelectField
        label="E-mail address"
        name="notification_email"
        value={current}
        options={[...new Set([...addresses, current])].map((address) => [address, address] as const)}
      />
    </NotificationForm>
  );
}

function MemberForm({ member, location }: { readonly member: MemberSetting; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const { kind, id, name, setting } = member;
  const save = (change: NotificationChange) =>
    kind === 'group'
      ? client.call('PUT /groups/:id/notification_settings', { ...change, id })
      : client.call('PUT /projects/:id/notification_settings', { ...change, id });
  return (
    <details class="setting">
      <summary>
        {name} <span class="badge">{setting.level}</span>
      </summary>
      <NotificationForm label={name} setting={setting} save={save} location={location} />
    </details>
  );
}

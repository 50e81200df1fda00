import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { ActionButton } from '../../components/action-button.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import { Pager } from '../../components/pager.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Email = ResultOf<'GET /user/emails'>[number];

/** The e-mail addresses of the user. */
export const accountEmails = page('accountEmails', {
  queries: ({ search }) => ({
    user: query('GET /user', {}),
    emails: query('GET /user/emails', { page: readPageNumber(search) }),
  }),
  title: () => 'E-mail addresses',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountEmails" />,
  render: ({ user, emails, location }) => {
    const { email: primary, confirmed_at } = user.value;
    const others = emails.value.filter(({ email }) => email !== primary);
    return (
      <>
        <p>
          Commits with a confirmed address count as yours. Only administrators can change the primary address, to which
          mails go unless you choose another one under Notifications.
        </p>
        <ul class="rows">
          <li class="row">
            <div class="row-main">
              <span class="row-title">{primary}</span> <span class="badge">Primary</span>{' '}
              {confirmed_at === null ? <span class="badge">Not confirmed</span> : null}
            </div>
          </li>
          {others.map((email) => (
            <EmailRow key={email.id} email={email} location={location} />
          ))}
        </ul>
        <Pager list={emails} search={location.search} href={location.toUrl(toPath('accountEmails'))} />
        <h2>Add an address</h2>
        <EmailForm location={location} />
      </>
    );
  },
});

function EmailRow({
  email: { id, email, confirmed_at },
  location,
}: {
  readonly email: Email;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  return (
    <li class="row">
      <div class="row-main">
        <span class="row-title">{email}</span> {confirmed_at === null ? <span class="badge">Not confirmed</span> : null}
      </div>
      <ActionButton
        run={() => client.call('DELETE /user/emails/:email_id', { email_id: id })}
        location={location}
        done="The address was deleted."
        confirm={{
          title: `Delete ${email}?`,
          text: 'Your commits with this address no longer count as yours. Somebody else can add it then.',
          label: 'Delete the address',
        }}
      >
        Delete <span class="hidden">{email}</span>
      </ActionButton>
    </li>
  );
}

function EmailForm({ location }: { readonly location: PageLocation }) {
  const { client } = usePageActions();
  return (
    <Form
      label="Add an address"
      submitLabel="Add"
      submit={(values) => client.call('POST /user/emails', { email: readText(values, 'email') })}
      location={location}
      done="The address was added."
    >
      <TextField
        label="Address"
        name="email"
        type="email"
        required
        maxLength={255}
        autocomplete="off"
        hint="It is confirmed by the link in a mail to it. To get another mail, delete the address and add it again."
      />
    </Form>
  );
}

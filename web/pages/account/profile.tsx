import { toPath } from '../../addresses.ts';
import type { CurrentUser, ResultOf } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { CheckField, Form, readText, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The profile of the user, which others see. */
export const accountProfile = page('accountProfile', {
  queries: () => ({ user: query('GET /user', {}), emails: query('GET /user/emails', { per_page: 100 }) }),
  title: () => 'Profile',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountProfile" />,
  render: ({ user, emails, location }) => (
    <>
      <p>
        Others see it on <a href={location.toUrl(toPath('user', { username: user.value.username }))}>your page</a>.
      </p>
      <ProfileForm
        key={JSON.stringify(user.value)}
        user={user.value}
        addresses={listConfirmed(emails.value)}
        location={location}
      />
    </>
  ),
});

const listConfirmed = (emails: ResultOf<'GET /user/emails'>): readonly string[] =>
  emails.filter(({ confirmed_at }) => confirmed_at !== null).map(({ email }) => email);

function ProfileForm({
  user,
  addresses,
  location,
}: {
  readonly user: CurrentUser;
  /** The confirmed addresses of the user. */
  readonly addresses: readonly string[];
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const update = async (values: FormData) => {
    const commitEmail = readText(values, 'commit_email');
    await client.call('PUT /user', {
      name: readText(values, 'name'),
      username: readText(values, 'username'),
      pronouns: readText(values, 'pronouns'),
      bio: readText(values, 'bio'),
      location: readText(values, 'location'),
      job_title: readText(values, 'job_title'),
      organization: readText(values, 'organization'),
      website_url: readText(values, 'website_url'),
      public_email: readText(values, 'public_email'),
      // The primary address is used unless the user has chosen one.
      ...(commitEmail === user.commit_email ? {} : { commit_email: commitEmail }),
      private_profile: values.has('private_profile'),
    });
  };
  const toOptions = (chosen: string | null) =>
    [...new Set([...addresses, ...(chosen ? [chosen] : [])])].map((address) => [address, address] as const);
  return (
    <Form label="Profile" submitLabel="Save" submit={update} location={location} done="The profile was saved.">
      <TextField label="Name" name="name" defaultValue={user.name} required maxLength={255} autocomplete="name" />
      <TextField
        label="Username"
        name="username"
        defaultValue={user.username}
        required
        maxLength={255}
        hint="The addresses of your projects begin with it. After a change, old addresses lead to the new ones."
      />
      <TextField label="Pronouns" name="pronouns" defaultValue={user.pronouns ?? ''} maxLength={50} />
      <TextArea label="About you" name="bio" defaultValue={user.bio} rows={3} maxLength={255} />
      <TextField label="Location" name="location" defaultValue={user.location} maxLength={500} />
      <TextField label="Job title" name="job_title" defaultValue={user.job_title ?? ''} maxLength={255} />
      <TextField label="Organization" name="organization" defaultValue={user.organization} maxLength={500} />
      <TextField label="Website" name="website_url" type="url" defaultValue={user.website_url} maxLength={500} />
      <SelectField
        label="Public e-mail address"
        name="public_email"
        value={user.public_email ?? ''}
        options={[['', 'None'], ...toOptions(user.public_email)]}
        hint="Confirmed addresses can be shown."
      />
      <SelectField
        label="E-mail address of commits"
        name="commit_email"
        value={user.commit_email ?? ''}
        options={toOptions(user.commit_email)}
        hint="The author address of commits that you make in the browser."
      />
      <CheckField
        label="Private profile"
        name="private_profile"
        defaultChecked={user.private_profile}
        hint="Only you and administrators see your activity and when you joined."
      />
    </Form>
  );
}

import { useState } from 'preact/hooks';
import { CallError } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The form for another password. */
export const accountPassword = page('accountPassword', {
  // Visitors are asked to sign in.
  queries: () => ({ user: query('GET /user', {}) }),
  title: () => 'Password',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountPassword" />,
  render: ({ user, location }) => <PasswordForm username={user.value.username} location={location} />,
});

function PasswordForm({ username, location }: { readonly username: string; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const [isChanged, setChanged] = useState(false);
  const update = async (values: FormData) => {
    setChanged(false);
    const password = readText(values, 'password');
    if (password !== readText(values, 'password_confirmation'))
      throw new CallError(400, {
        message: 'The two new passwords differ.',
        attributes: { password_confirmation: ['differs from the new password'] },
      });
    await client.call('PUT /user/password', { current_password: readText(values, 'current_password'), password });
    setChanged(true);
  };
  return (
    <>
      <p>All your other sessions end when the password changes. Access tokens stay valid.</p>
      {isChanged ? <p class="note good">Your password was changed, and your other sessions have ended.</p> : null}
      <Form
        label="Password"
        submitLabel="Change password"
        submit={update}
        location={location}
        done="Your password was changed, and your other sessions have ended."
      >
        {/* Password managers store the new password for this name. */}
        <input type="hidden" name="username" autocomplete="username" value={username} />
        <TextField
          label="Current password"
          name="current_password"
          type="password"
          required
          autocomplete="current-password"
        />
        <TextField
          label="New password"
          name="password"
          type="password"
          required
          maxLength={128}
          autocomplete="new-password"
        />
        <TextField
          label="New password again"
          name="password_confirmation"
          type="password"
          required
          maxLength={128}
          autocomplete="new-password"
        />
      </Form>
    </>
  );
}

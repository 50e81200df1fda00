import { useState } from 'preact/hooks';
import { toPath } from '../../addresses.ts';
import type { CurrentUser, Loaded, ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { ActionButton } from '../../components/action-button.tsx';
import { Pager } from '../../components/pager.tsx';
import { Time } from '../../components/time.tsx';
import { NewToken, TokenForm, type TokenSecret } from '../../components/token-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Tokens = ResultOf<'GET /personal_access_tokens'>;

/** The personal access tokens of the user. */
export const accountTokens = page('accountTokens', {
  queries: ({ search, session }) => ({
    user: query('GET /user', {}),
    tokens: query('GET /personal_access_tokens', {
      // Administrators would get the tokens of all users.
      ...(session.userId === null ? {} : { user_id: session.userId }),
      state: isInactive(search) ? 'inactive' : 'active',
      page: readPageNumber(search),
    }),
  }),
  title: () => 'Access tokens',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountTokens" />,
  render: ({ user, tokens, location }) => <TokenPage user={user.value} tokens={tokens} location={location} />,
});

const isInactive = (search: URLSearchParams): boolean => search.get('state') === 'inactive';

function TokenPage({
  user,
  tokens,
  location,
}: {
  readonly user: CurrentUser;
  readonly tokens: Loaded<Tokens>;
  readonly location: PageLocation;
}) {
  const [secret, setSecret] = useState<TokenSecret | null>(null);
  const href = location.toUrl(toPath('accountTokens'));
  const showsInactive = isInactive(location.search);
  return (
    <>
      <p>
        With a token, programs call the API as you (header <code>PRIVATE-TOKEN</code>), and git uses it as the password.
      </p>
      {secret === null ? null : <NewToken key={secret.token} secret={secret} />}
      <h2>New token</h2>
      <TokenForm isAdministrator={'is_admin' in user && user.is_admin} onCreated={setSecret} location={location} />
      <h2>{showsInactive ? 'Inactive tokens' : 'Active tokens'}</h2>
      <p>
        {showsInactive ? (
          <a href={href}>Show active tokens</a>
        ) : (
          <a href={`${href}?state=inactive`}>Show revoked and expired tokens</a>
        )}
      </p>
      {tokens.value.length === 0 ? (
        <p class="quiet">{showsInactive ? 'No token is revoked or expired.' : 'You have no token yet.'}</p>
      ) : (
        <ul class="rows">
          {tokens.value.map((token) => (
            <TokenRow key={token.id} token={token} onRotated={setSecret} location={location} />
          ))}
        </ul>
      )}
      <Pager list={tokens} search={location.search} href={href} />
    </>
  );
}

function TokenRow({
  token: { id, name, description, scopes, active, revoked, expires_at, last_used_at, created_at },
  onRotated,
  location,
}: {
  readonly token: Tokens[number];
  readonly onRotated: (secret: TokenSecret) => void;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const rotate = async () => {
    const { value } = await client.call('POST /personal_access_tokens/:id/rotate', { id });
    onRotated(value);
  };
  return (
    <li class="row">
      <div class="row-main">
        <p>
          <span class="row-title">{name}</span>{' '}
          {active ? null : <span class="badge">{revoked ? 'Revoked' : 'Expired'}</span>}
        </p>
        {description ? <p>{description}</p> : null}
        <p class="row-facts quiet">
          <span>{scopes.join(', ')}</span>
          <span>{expires_at === null ? 'never expires' : `expires on ${expires_at}`}</span>
          <span>{last_used_at === null ? 'never used' : <>last used {<Time value={last_used_at} />}</>}</span>
          <span>
            created <Time value={created_at} />
          </span>
        </p>
      </div>
      {active ? (
        <div class="actions">
          <ActionButton
            run={rotate}
            location={location}
            done="The token was replaced. The new one is shown above."
            confirm={{
              title: `Replace the token ${name}?`,
              text: 'It stops working immediately. A new token with the same scopes replaces it, for a week.',
              label: 'Replace the token',
            }}
          >
            Rotate <span class="hidden">{name}</span>
          </ActionButton>
          <ActionButton
            run={() => client.call('DELETE /personal_access_tokens/:id', { id })}
            location={location}
            done="The token was revoked."
            confirm={{
              title: `Revoke the token ${name}?`,
              text: 'Programs that use it are refused immediately. This cannot be undone.',
              label: 'Revoke the token',
            }}
          >
            Revoke <span class="hidden">{name}</span>
          </ActionButton>
        </div>
      ) : null}
    </li>
  );
}

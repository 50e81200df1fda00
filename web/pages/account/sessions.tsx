import type { ResultOf } from '../../api/call.ts';
import { queryAll } from '../../api/query.ts';
import { AccountNavigation } from '../../components/account-navigation.tsx';
import { ActionButton } from '../../components/action-button.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';
import { describeUserAgent } from '../../text/user-agents.ts';

type Session = ResultOf<'GET /user/sessions'>[number];

/** The browsers in which the user is signed in. */
export const accountSessions = page('accountSessions', {
  queries: () => ({ sessions: queryAll('GET /user/sessions', {}) }),
  title: () => 'Sessions',
  navigation: ({ location }) => <AccountNavigation location={location} current="accountSessions" />,
  render: ({ sessions, location }) => <Sessions sessions={sessions.value} location={location} />,
});

function Sessions({ sessions, location }: { readonly sessions: readonly Session[]; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const others = sessions.filter(({ current }) => !current);
  const endOthers = async () => {
    for (const { id } of others) await client.call('DELETE /user/sessions/:id', { id });
  };
  return (
    <>
      <p>
        These browsers are signed in to your account. End sessions that you do not know, and change your password then.
      </p>
      <ul class="rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} location={location} />
        ))}
      </ul>
      {others.length < 2 ? null : (
        <ActionButton
          run={endOthers}
          location={location}
          done="All other sessions have ended."
          confirm={{
            title: 'End all other sessions?',
            text: 'You stay signed in in this browser only.',
            label: 'End the sessions',
          }}
        >
          End all other sessions
        </ActionButton>
      )}
    </>
  );
}

function SessionRow({ session, location }: { readonly session: Session; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const { id, current, user_agent, ip_address, created_at, last_used_at } = session;
  const name = describeUserAgent(user_agent);
  return (
    <li class="row">
      <div class="row-main">
        <p>
          <span class="row-title">{name}</span> {current ? <span class="badge">This browser</span> : null}
        </p>
        <p class="row-facts quiet">
          {ip_address === null ? null : <span>{ip_address}</span>}
          <span>
            last used <Time value={last_used_at} />
          </span>
          <span>
            signed in <Time value={created_at} />
          </span>
        </p>
      </div>
      {current ? null : (
        <ActionButton
          run={() => client.call('DELETE /user/sessions/:id', { id })}
          location={location}
          done="The session has ended."
        >
          End <span class="hidden">the session of {name}</span>
        </ActionButton>
      )}
    </li>
  );
}

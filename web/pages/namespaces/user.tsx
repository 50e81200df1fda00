import type { ComponentChildren } from 'preact';
import { CallError, type Client, type Loaded, type ResultOf } from '../../api/call.ts';
import { type Query, query } from '../../api/query.ts';
import { Calendar } from '../../charts/calendar.tsx';
import { EventRows, queryEvents } from '../../components/event-rows.tsx';
import { ProjectRows } from '../../components/project-rows.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { page } from '../../page.ts';

/** The fields that visitors get, and those of the profile for users. */
type Profile = Pick<ResultOf<'GET /users'>[number], 'id' | 'name' | 'username' | 'avatar_url'> &
  Partial<ResultOf<'GET /users/:id'>> & { readonly created_at?: string };

/** The numbers of projects and events that the page shows. */
const MAX_PROJECTS = 20;
const MAX_EVENTS = 20;

/** A user: the profile, the personal projects, and the activity. */
export const user = page('user', {
  queries: ({ values: { username = '' }, session }) => ({
    user: queryProfile(username, session.userId !== null),
    projects: query('GET /users/:user_id/projects', {
      user_id: username,
      order_by: 'last_activity_at',
      per_page: MAX_PROJECTS,
    }),
  }),
  later: ({ projects }, { values: { username: user_id = '' } }) => ({
    counts: query('GET /users/:user_id/event_counts', { user_id }),
    events: queryEvents(
      (client) => client.call('GET /users/:user_id/events', { user_id, per_page: MAX_EVENTS }),
      projects.value,
    ),
  }),
  title: ({ user }) => user.value.name,
  render: ({ user, projects, later, location }) => (
    <>
      <ProfileFacts user={user.value} />
      <h2>Personal projects</h2>
      {projects.value.length === 0 ? (
        <p class="quiet">
          <bdi>{user.value.name}</bdi> has no projects that you can see.
        </p>
      ) : (
        <ProjectRows projects={projects} location={location} />
      )}
      {projects.nextPage === null ? null : <p class="quiet">The {MAX_PROJECTS} most recently used ones.</p>}
      <h2>Activity</h2>
      <WhenNear>
        {later === null ? null : (
          <>
            <Calendar counts={later.counts.value} lastDate={new Date().toISOString().slice(0, 10)} />
            {later.events.value.length === 0 ? (
              <p class="quiet">Pushes, comments and other activity in projects that you can see appear here.</p>
            ) : (
              <EventRows events={later.events.value} location={location} />
            )}
          </>
        )}
      </WhenNear>
    </>
  ),
});

/** Returns the read of a user by name. Only users may read profiles. */
function queryProfile(username: string, hasProfile: boolean): Query<Profile> {
  return {
    refetchSeconds: null,
    async load(client: Client): Promise<Loaded<Profile>> {
      const users = await client.call('GET /users', { username });
      const [user] = users.value;
      if (user === undefined) throw new CallError(404, { message: '404 User Not Found' });
      return hasProfile ? client.call('GET /users/:id', { id: user.id }) : { ...users, value: user };
    },
  };
}

function ProfileFacts({ user }: { readonly user: Profile }) {
  const facts: readonly (readonly [label: string, value: string | null | undefined])[] = [
    ['Username', user.username],
    ['Pronouns', user.pronouns],
    ['Work', user.work_information],
    ['Location', user.location],
    ['Member since', user.created_at?.slice(0, 10)],
  ];
  return (
    <div class="profile">
      <img class="avatar" src={user.avatar_url} alt="" width={96} height={96} />
      <div>
        {user.bio ? <p class="plain-text">{user.bio}</p> : null}
        <dl class="facts">
          {facts.map(([label, value]) => (value ? <Fact key={label} label={label} value={value} /> : null))}
          {user.public_email ? (
            <Fact label="E-mail" value={<a href={`mailto:${user.public_email}`}>{user.public_email}</a>} />
          ) : null}
          {user.website_url ? <Fact label="Website" value={<Website url={user.website_url} />} /> : null}
        </dl>
      </div>
    </div>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: ComponentChildren }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** Another scheme, such as `javascript`, is not a link. */
function Website({ url }: { readonly url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <a href={url} rel="nofollow noopener">
      {url}
    </a>
  ) : (
    url
  );
}

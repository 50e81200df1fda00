import { Avatar } from './avatar.tsx';

interface User {
  readonly name: string;
  readonly username: string;
  readonly avatar_url: string | null;
  readonly web_url: string;
}

/** The name of a user with their avatar, as a link to their page. */
export function UserLink({ user }: { readonly user: User }) {
  return (
    <a class="user-link" href={user.web_url} title={`@${user.username}`}>
      <Avatar user={user} /> <bdi>{user.name}</bdi>
    </a>
  );
}

/** The names of several users. */
export function UserLinks({ users, empty }: { readonly users: readonly User[]; readonly empty: string }) {
  if (users.length === 0) return <span class="quiet">{empty}</span>;
  return (
    <ul class="inline-list">
      {users.map((user) => (
        <li key={user.username}>
          <UserLink user={user} />
        </li>
      ))}
    </ul>
  );
}

import { getInitials } from '../text/names.ts';

/** The avatar of a user; their initials without one. The name is next to it, so it is hidden from screen readers. */
export function Avatar({ user }: { readonly user: { readonly name: string; readonly avatar_url: string | null } }) {
  return user.avatar_url === null ? (
    <span class="avatar" aria-hidden="true">
      {getInitials(user.name)}
    </span>
  ) : (
    <img class="avatar" src={user.avatar_url} alt="" width={24} height={24} loading="lazy" />
  );
}

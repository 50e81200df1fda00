import { getInitials } from '../text/names.ts';

/** The avatar of a user, or their initials. It is hidden from screen readers, because the name is next to it. */
export function Avatar({ user }: { readonly user: { readonly name: string; readonly avatar_url: string | null } }) {
  return user.avatar_url === null ? (
    <span class="avatar" aria-hidden="true">
      {getInitials(user.name)}
    </span>
  ) : (
    <img class="avatar" src={user.avatar_url} alt="" width={24} height={24} loading="lazy" />
  );
}

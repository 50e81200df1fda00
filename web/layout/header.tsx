import { toPath } from '../addresses.ts';
import type { CurrentUser } from '../api/call.ts';
import { Avatar } from '../components/avatar.tsx';
import { removeDrafts } from '../components/draft-storage.ts';
import type { PageLocation } from '../page.ts';

/** The header of every page: the link to the home page, the command palette, and the links of the visitor. */
export function Header({
  user,
  location: { toUrl, session },
  onPalette,
}: {
  /** Null until it is loaded, and for visitors. */
  readonly user: CurrentUser | null;
  readonly location: PageLocation;
  readonly onPalette: () => void;
}) {
  return (
    <header class="header">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <a class="brand" href={toUrl(toPath('home'))}>
        Hearth
      </a>
      <nav class="header-links" aria-label="Main">
        <a href={toUrl(toPath('explore'))}>Explore</a>
        <a href={toUrl('/api/docs')}>API</a>
      </nav>
      <button type="button" class="palette-button" onClick={onPalette} aria-keyshortcuts="/">
        Search or go to <kbd>/</kbd>
      </button>
      {session.userId === null ? (
        <a href={toUrl('/users/sign_in?redirect_to_referer=yes')}>Sign in</a>
      ) : (
        <form
          class="user"
          method="post"
          action={toUrl('/users/sign_out')}
          onSubmit={() => removeDrafts(sessionStorage)}
        >
          <input type="hidden" name="authenticity_token" value={session.csrfToken ?? ''} />
          {user === null ? null : (
            <a class="user-name" href={toUrl(toPath('accountProfile'))}>
              <Avatar user={user} /> <span>{user.username}</span>
            </a>
          )}
          <button type="submit" class="plain">
            Sign out
          </button>
        </form>
      )}
    </header>
  );
}

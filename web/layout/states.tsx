import type { CallError } from '../api/call.ts';
import { Time } from '../components/time.tsx';
import { type PageLocation, usePageActions } from '../page.ts';
import { isTemporary } from './page-state.ts';

/** The states of a page that replace its content: loading and errors. */

export function LoadingState() {
  return (
    <p class="state" role="status">
      Loading
    </p>
  );
}

/** The page could not be loaded: the server's own message, and the request for the administrator's log. */
export function ErrorState({ error, location }: { readonly error: CallError; readonly location: PageLocation }) {
  const { refetch } = usePageActions();
  return (
    <section class="state" role="alert">
      <h1 tabIndex={-1}>{getErrorTitle(error)}</h1>
      <p>{error.message}</p>
      {mustSignIn(error, location) ? (
        <p>
          <a class="button" href={location.toUrl('/users/sign_in?redirect_to_referer=yes')}>
            Sign in
          </a>
        </p>
      ) : null}
      {isTemporary(error) ? (
        <p>
          <button type="button" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      ) : null}
      {error.requestId === null ? null : (
        <p class="quiet">
          Request <code>{error.requestId}</code>
        </p>
      )}
    </section>
  );
}

/** Whether the page may appear after a sign-in: for visitors, hidden pages look like missing ones. */
const mustSignIn = ({ status }: CallError, { session }: PageLocation): boolean =>
  status === 401 || (session.userId === null && (status === 403 || status === 404));

/** Returns the heading of a page that could not be loaded. */
export function getErrorTitle({ status }: CallError): string {
  if (status === 0) return 'The server does not respond';
  if (status === 401) return 'Sign in to see this page';
  if (status === 403) return 'You are not allowed to see this page';
  if (status === 404) return 'This page does not exist, or you cannot see it';
  return status >= 500 ? 'The server has a problem' : 'The request failed';
}

/** A note above content that could not be read again. */
export function StaleNote({ since }: { readonly since: string }) {
  return (
    <p class="note" role="status">
      The server does not respond. This was read <Time value={since} />.
    </p>
  );
}

/** A note above content whose session has ended. The content stays, with the input of the user. */
export function SignedOutNote({ location }: { readonly location: PageLocation }) {
  return (
    <p class="note" role="alert">
      Your session has ended.{' '}
      <a href={location.toUrl('/users/sign_in')} target="_blank" rel="noopener">
        Sign in in another tab
      </a>{' '}
      and go on here.
    </p>
  );
}

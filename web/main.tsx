import { render } from 'preact';
import { removeDrafts } from './components/draft-storage.ts';
import { App } from './layout/app.tsx';
import { PAGES } from './pages/index.ts';
import type { Session } from './session.ts';
import './style.css';

const session = readSession(document);
// Without a sign-in the drafts stay: the session of their user may have ended.
if (session.userId !== null) removeDrafts(sessionStorage, session.userId);
render(<App pages={PAGES} session={session} />, document.getElementById('app')!);

/** Reads the session from the `meta` elements of the shell. */
function readSession(document: Document): Session {
  const read = (name: string): string | null =>
    document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
  const userId = read('user-id');
  return {
    origin: document.location.origin,
    basePath: read('base-path') ?? '',
    userId: userId === null ? null : Number(userId),
    csrfToken: read('csrf-token'),
  };
}

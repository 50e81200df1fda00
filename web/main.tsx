import { render } from 'preact';
import { App } from './layout/app.tsx';
import { PAGES } from './pages/index.ts';
import type { Session } from './session.ts';
import './style.css';

render(<App pages={PAGES} session={readSession(document)} />, document.getElementById('app')!);

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

import { renderToString } from 'preact-render-to-string';
import { createClient } from './api/call.ts';
import { loadQueries } from './api/query.ts';
import { type PageState, toCallError } from './layout/page-state.ts';
import { PageView } from './layout/page-view.tsx';
import { locate } from './page.ts';
import { PAGES } from './pages/index.ts';
import type { Session } from './session.ts';

/**
 * For tests: returns the HTML of the page at a path and query, with the data that `fetch` reads; null without a page. `withLater`
 * says whether the later queries are read too.
 */
export async function renderAt(
  fetch: typeof globalThis.fetch,
  session: Session,
  path: string,
  search = '',
  withLater = true,
): Promise<string | null> {
  const client = createClient({ session, fetch });
  const location = locate(session, path, search);
  if (location === null) return null;
  const page = await PAGES[location.name]();
  const load = async (): Promise<PageState> => {
    const loaded = await loadQueries(client, page.queries(location));
    const later = withLater ? await loadQueries(client, page.later?.(loaded, location) ?? {}) : null;
    return { kind: 'loaded', loaded, later, readAt: new Date().toISOString(), problem: null };
  };
  const state = await load().catch((error: unknown): PageState => ({ kind: 'error', error: toCallError(error) }));
  const user = session.userId === null ? null : await client.call('GET /user', {});
  const actions = {
    client,
    user: user?.value ?? null,
    refetch: () => Promise.resolve(),
    readLater: () => {},
    openUrl: () => {},
    announce: () => {},
  };
  return renderToString(
    <PageView page={page} location={location} state={state} actions={actions} onPalette={() => {}} />,
  );
}

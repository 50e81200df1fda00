import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CallRecord, type Client, type CurrentUser, createClient } from '../api/call.ts';
import { addRecord } from '../api/call-records.ts';
import { type LocatedPage, locate, type Page, type PageActions } from '../page.ts';
import type { Session } from '../session.ts';
import { CommandPalette, listPageShortcuts, ShortcutHelp } from './command-palette.tsx';
import { FileFinder } from './file-finder.tsx';
import { PageView } from './page-view.tsx';
import { RequestInspector } from './request-inspector.tsx';
import { areShortcutsOn, createShortcutFinder, type Shortcut, setShortcutsOn } from './shortcuts.ts';
import { getErrorTitle } from './states.tsx';
import { usePageState } from './use-page-state.ts';

type Panel = 'palette' | 'files' | 'shortcuts' | 'inspector' | null;

/** The application: shows the page of the address, follows links to others, and answers the keyboard. */
export function App({ pages, session }: { readonly pages: PageLoaders; readonly session: Session }) {
  const [address, setAddress] = useState(() => readAddress(session));
  const [records, setRecords] = useState<readonly CallRecord[]>([]);
  const [panel, setPanel] = useState<Panel>(null);
  const [shortcutsOn, setShortcuts] = useState(() => areShortcutsOn(localStorage));
  const client = useMemo(
    () =>
      createClient({
        session,
        fetch: (...request) => fetch(...request),
        onCall: (record) => setRecords((before) => addRecord(before, record)),
      }),
    [session],
  );
  const showAddress = useCallback(() => {
    setRecords([]);
    setAddress(readAddress(session));
  }, [session]);
  const navigate = useCallback(
    (url: string) => {
      history.pushState(null, '', url);
      showAddress();
    },
    [showAddress],
  );
  const openUrl = useCallback(
    (url: string) => (findLocalPath(session, url) === null ? window.location.assign(url) : navigate(url)),
    [session, navigate],
  );
  useEffect(() => {
    const onClick = (event: MouseEvent) => followLink(event, session, navigate);
    const onSubmit = (event: SubmitEvent) => followSearch(event, session, navigate);
    const onHistory = () => {
      const { path, query } = readAddress(session);
      // A link within the page, `#L3`, is an entry of the history too, and loads nothing.
      if (path !== address.path || query !== address.query) showAddress();
    };
    window.addEventListener('popstate', onHistory);
    document.addEventListener('click', onClick);
    document.addEventListener('submit', onSubmit);
    return () => {
      window.removeEventListener('popstate', onHistory);
      document.removeEventListener('click', onClick);
      document.removeEventListener('submit', onSubmit);
    };
  }, [session, address, navigate, showAddress]);
  const target = useMemo(() => locate(session, address.path, address.query), [session, address]);
  const { shown, hasFailed } = useLoadedPage(pages, target);
  const location = shown?.location ?? null;
  const shortcuts = useMemo((): readonly Shortcut[] => {
    if (location === null) return [];
    return [
      { keys: '/', label: 'Search or go to', run: () => setPanel('palette') },
      { keys: '?', label: 'Show the keyboard shortcuts', run: () => setPanel('shortcuts') },
      {
        keys: 'a',
        label: 'Show the requests of this page',
        run: () => setPanel((shown) => (shown === 'inspector' ? null : 'inspector')),
      },
      ...(location.values.project === undefined
        ? []
        : [{ keys: 't', label: 'Find a file', run: () => setPanel('files') }]),
      ...listPageShortcuts(location, openUrl),
    ];
  }, [location, openUrl]);
  useShortcuts(shortcuts, shortcutsOn && (panel === null || panel === 'inspector'));
  const user = useCurrentUser(client, session);
  const [announcement, announce] = useState('');
  const close = useCallback(() => setPanel(null), []);
  if (shown === null && hasFailed)
    return <p class="state">A part of the application cannot be loaded. Try again later.</p>;
  if (shown === null || location === null) return null;
  const toggleShortcuts = () => {
    setShortcutsOn(localStorage, !shortcutsOn);
    setShortcuts(!shortcutsOn);
  };
  return (
    <>
      <LoadedPage
        key={location.name}
        page={shown.page}
        location={location}
        common={{ client, user, openUrl, announce }}
        onPalette={() => setPanel('palette')}
      />
      <div class="hidden" role="status">
        {announcement}
      </div>
      {panel === 'inspector' ? <RequestInspector records={records} location={location} onClose={close} /> : null}
      {panel === 'palette' ? (
        <CommandPalette client={client} location={location} shortcuts={shortcuts} onOpen={openUrl} onClose={close} />
      ) : null}
      {panel === 'files' && location.values.project !== undefined ? (
        <FileFinder client={client} location={location} onOpen={openUrl} onClose={close} />
      ) : null}
      {panel === 'shortcuts' ? (
        <ShortcutHelp shortcuts={shortcuts} areOn={shortcutsOn} onToggle={toggleShortcuts} onClose={close} />
      ) : null}
    </>
  );
}

/** Returns each page by name. */
type PageLoaders = Readonly<Record<string, () => Promise<Page>>>;

interface ShownPage {
  readonly page: Page;
  readonly location: LocatedPage;
}

/**
 * Returns the page of a location; the one before it until its script is loaded, and null before the first one. Also returns whether
 * the script could not be loaded even after a reload, as behind a balancer of two versions.
 */
function useLoadedPage(
  pages: PageLoaders,
  location: LocatedPage | null,
): { readonly shown: ShownPage | null; readonly hasFailed: boolean } {
  const [shown, setShown] = useState<ShownPage | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const isFirst = shown === null;
  useEffect(() => {
    if (location === null) return;
    let isCurrent = true;
    pages[location.name]!().then(
      (page) => isCurrent && setShown({ page, location }),
      // The server has been upgraded, and has other scripts now; or it does not respond, which the browser then shows.
      () => {
        if (!isCurrent) return;
        if (isFirst && isReload()) setFailed(true);
        else window.location.reload();
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [pages, location]);
  return { shown, hasFailed };
}

/** Returns whether the document was loaded by a reload. */
const isReload = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload');

type PageViewProps = Parameters<typeof PageView>[0];

/** Loads a page, reads it again while it is visible, and focuses its heading after a navigation. */
function LoadedPage({
  page,
  location,
  common,
  onPalette,
}: Omit<PageViewProps, 'state' | 'actions'> & {
  /** The actions that are the same for all pages. */
  readonly common: Omit<PageActions, 'refetch' | 'readLater'>;
}) {
  const { state, refetch, readLater, stop } = usePageState(page, location, common.client);
  const openUrl = (url: string) => {
    // A write may have deleted what this page shows, so that it is not read again.
    stop();
    common.openUrl(url);
  };
  const isFirst = useRef(true);
  const isLoaded = state !== null && state.kind !== 'loading';
  useEffect(() => {
    if (!isLoaded) return;
    if (!isFirst.current || history.state === null) document.querySelector<HTMLElement>('main h1')?.focus();
    isFirst.current = false;
  }, [isLoaded, location]);
  useEffect(() => {
    if (state?.kind === 'loaded') document.title = `${page.title(state.loaded, location)} · Hearth`;
    if (state?.kind === 'error') document.title = `${getErrorTitle(state.error)} · Hearth`;
  }, [page, location, state]);
  if (state === null) return null;
  return (
    <PageView
      page={page}
      location={location}
      state={state}
      actions={{ ...common, openUrl, refetch, readLater }}
      onPalette={onPalette}
    />
  );
}

function useCurrentUser(client: Client, { userId }: Session): CurrentUser | null {
  const [user, setUser] = useState<CurrentUser | null>(null);
  useEffect(() => {
    // The header works without the name; the page itself reports a server that does not respond.
    if (userId !== null)
      client.call('GET /user', {}).then(
        ({ value }) => setUser(value),
        () => {},
      );
  }, [client, userId]);
  return user;
}

function useShortcuts(shortcuts: readonly Shortcut[], areOn: boolean): void {
  // At once, so that no key press is lost between the end of a dialog and the next frame.
  useLayoutEffect(() => {
    if (!areOn) return;
    const find = createShortcutFinder();
    const onKeyDown = (event: KeyboardEvent) => {
      const found = find(shortcuts, {
        key: event.key,
        hasModifier: event.ctrlKey || event.altKey || event.metaKey,
        isWriting: event.target instanceof Element && event.target.closest('input, textarea, select') !== null,
        time: event.timeStamp,
      });
      if (found === null) return;
      event.preventDefault();
      found.run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [shortcuts, areOn]);
}

interface Address {
  /** Path below the base path of the server. */
  readonly path: string;
  readonly query: string;
}

const readAddress = (session: Session): Address =>
  findLocalPath(session, window.location.href) ?? { path: '', query: '' };

/** Returns the path of the page at a URL; null if the application has no page there. */
function findLocalPath(session: Session, url: string): Address | null {
  const { origin, pathname, search } = new URL(url, window.location.href);
  const isBelow = pathname === session.basePath || pathname.startsWith(`${session.basePath}/`);
  if (origin !== window.location.origin || !isBelow) return null;
  const address = { path: pathname.slice(session.basePath.length) || '/', query: search };
  return locate(session, address.path, address.query) === null ? null : address;
}

/** Opens a link to a page of the application without loading the application again. */
function followLink(event: MouseEvent, session: Session, navigate: (url: string) => void): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  if (link === null || opensElsewhere || event.defaultPrevented || link.target !== '' || link.download !== '') return;
  const isAnchor = link.getAttribute('href')?.startsWith('#') ?? true;
  if (isAnchor || findLocalPath(session, link.href) === null) return;
  event.preventDefault();
  navigate(link.href);
}

/** Opens the result of a form that reads, such as the filters of a list, in the same way. */
function followSearch(event: SubmitEvent, session: Session, navigate: (url: string) => void): void {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'get' || event.defaultPrevented) return;
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value !== '') url.searchParams.set(name, String(value));
  if (findLocalPath(session, url.href) === null) return;
  event.preventDefault();
  navigate(url.href);
}

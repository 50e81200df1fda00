import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError, Client } from '../api/call.ts';
import { areSame, keepUnchanged, type LoadedQueries, loadQueries, type Queries, selectPolled } from '../api/query.ts';
import type { Page, PageActions, PageLocation } from '../page.ts';
import { afterDelay, afterFailure, getRefetchDelay, LOADING, type PageState, toCallError } from './page-state.ts';

/** The wait before a page that is loading says so; most are there before. */
const LOADING_DELAY_MS = 300;

/**
 * Returns the state of a page, null until it is loaded or has been loading for a while; and functions that read it again, read its
 * later queries and end that. While another query of the same address is read, such as a filter, the content stays.
 */
export function usePageState(
  page: Page,
  location: PageLocation,
  client: Client,
): Pick<PageActions, 'refetch' | 'readLater'> & { readonly state: PageState | null; readonly stop: () => void } {
  const [state, setState] = useState<PageState | null>(null);
  const load = useRef(() => Promise.resolve());
  const startLater = useRef(() => {});
  const loadedAddress = useRef('');
  useEffect(() => {
    const queries = page.queries(location);
    const address = JSON.stringify(location.values);
    /** Returns the state of this address: content of another one must not stand under it. */
    const keepOwn = (before: PageState | null): PageState =>
      before !== null && loadedAddress.current === address ? before : LOADING;
    let [isCurrent, failureCount] = [true, 0];
    let loaded: LoadedQueries<Queries> | null = null;
    let laterState: 'unwanted' | 'wanted' | 'loaded' = 'unwanted';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const loadingTimer = setTimeout(() => setState((before) => afterDelay(keepOwn(before))), LOADING_DELAY_MS);
    const polledQueries = selectPolled(queries);
    load.current = async () => {
      clearTimeout(timer);
      const result = await loadQueries(client, queries).catch(toCallError);
      if (!isCurrent) return;
      show(result);
      if (laterState !== 'unwanted' && !(result instanceof Error)) await loadLater(result);
    };
    const loadLater = async (first: LoadedQueries<Queries>) => {
      const result = await loadQueries(client, page.later?.(first, location) ?? {}).catch(toCallError);
      if (!isCurrent) return;
      if (result instanceof Error) return setState((before) => afterFailure(keepOwn(before), result));
      laterState = 'loaded';
      setState((before) =>
        before?.kind === 'loaded' ? { ...before, later: keepUnchanged(before.later ?? {}, result) } : before,
      );
    };
    startLater.current = () => {
      if (laterState !== 'unwanted') return;
      laterState = 'wanted';
      if (loaded !== null) void loadLater(loaded);
    };
    const show = (result: LoadedQueries<Queries> | CallError) => {
      clearTimeout(loadingTimer);
      clearTimeout(timer);
      const error = result instanceof Error ? result : null;
      failureCount = error === null ? 0 : failureCount + 1;
      if (result instanceof Error) setState((before) => afterFailure(keepOwn(before), result));
      else {
        // The state before may be that of another location.
        const isFirst = loaded === null;
        loaded = result;
        loadedAddress.current = address;
        setState((before) => toLoaded(isFirst ? null : before, result));
      }
      const delay = getRefetchDelay(queries, failureCount, error);
      if (delay !== null) timer = setTimeout(() => void pollWhenVisible(), delay * 1000);
    };
    /** Reads the polled queries, and the whole page if one of them has changed. */
    const poll = async () => {
      const result = await loadQueries(client, polledQueries).catch(toCallError);
      if (!isCurrent) return;
      if (result instanceof Error) return show(result);
      if (loaded === null || laterState === 'wanted' || !areSame(loaded, result)) return load.current();
      show(loaded);
    };
    const pollWhenVisible = () => {
      if (!document.hidden) return poll();
      document.addEventListener('visibilitychange', () => void pollWhenVisible(), { once: true });
    };
    void load.current();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      clearTimeout(loadingTimer);
    };
  }, [page, location, client]);
  const refetch = useCallback(() => load.current(), []);
  // Another function for each location, so that content near the view asks again.
  const readLater = useCallback(() => startLater.current(), [location]);
  const stop = useCallback(() => {
    load.current = () => Promise.resolve();
  }, []);
  return { state, refetch, readLater, stop };
}

/** Returns the state with a response; the same state, which causes no rendering, if nothing has changed. */
function toLoaded(before: PageState | null, loaded: LoadedQueries<Queries>): PageState {
  const readAt = new Date().toISOString();
  if (before?.kind !== 'loaded') return { kind: 'loaded', loaded, later: null, readAt, problem: null };
  if (before.problem === null && areSame(before.loaded, loaded)) return before;
  return { ...before, loaded: keepUnchanged(before.loaded, loaded), readAt, problem: null };
}

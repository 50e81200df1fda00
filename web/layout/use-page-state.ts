import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError, Client } from '../api/call.ts';
import { areSame, keepUnchanged, type LoadedQueries, loadQueries, type Queries, selectPolled } from '../api/query.ts';
import type { Page, PageActions, PageLocation } from '../page.ts';
import { afterFailure, getRefetchDelay, type PageState, toCallError } from './page-state.ts';

/** The wait before a page that is loading says so; most are there before. */
const LOADING_DELAY_MS = 300;

/** Returns the state of a page, null until it is loaded or has been loading for a while; and functions that read it again and end that. */
export function usePageState(
  page: Page,
  location: PageLocation,
  client: Client,
): { readonly state: PageState | null; readonly refetch: PageActions['refetch']; readonly stop: () => void } {
  const [state, setState] = useState<PageState | null>(null);
  const load = useRef(() => Promise.resolve());
  useEffect(() => {
    const queries = page.queries(location);
    let [isCurrent, failureCount] = [true, 0];
    let loaded: LoadedQueries<Queries> | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const loadingTimer = setTimeout(() => setState({ kind: 'loading' }), LOADING_DELAY_MS);
    const polledQueries = selectPolled(queries);
    load.current = async () => {
      clearTimeout(timer);
      const result = await loadQueries(client, queries).catch(toCallError);
      if (isCurrent) show(result);
    };
    const show = (result: LoadedQueries<Queries> | CallError) => {
      clearTimeout(loadingTimer);
      clearTimeout(timer);
      const error = result instanceof Error ? result : null;
      failureCount = error === null ? 0 : failureCount + 1;
      if (result instanceof Error) setState((before) => afterFailure(before ?? { kind: 'loading' }, result));
      else {
        loaded = result;
        setState((before) => toLoaded(before, result));
      }
      const delay = getRefetchDelay(queries, failureCount, error);
      if (delay !== null) timer = setTimeout(() => void pollWhenVisible(), delay * 1000);
    };
    /** Reads the polled queries, and the whole page if one of them has changed. */
    const poll = async () => {
      const result = await loadQueries(client, polledQueries).catch(toCallError);
      if (!isCurrent) return;
      if (result instanceof Error) return show(result);
      if (loaded === null || !areSame(loaded, result)) return load.current();
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
  const stop = useCallback(() => {
    load.current = () => Promise.resolve();
  }, []);
  return { state, refetch, stop };
}

/** Returns the state with a response; the same state, which causes no rendering, if nothing has changed. */
function toLoaded(before: PageState | null, loaded: LoadedQueries<Queries>): PageState {
  const readAt = new Date().toISOString();
  if (before?.kind !== 'loaded') return { kind: 'loaded', loaded, readAt, problem: null };
  if (before.problem === null && areSame(before.loaded, loaded)) return before;
  return { kind: 'loaded', loaded: keepUnchanged(before.loaded, loaded), readAt, problem: null };
}

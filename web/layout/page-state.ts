import { CallError } from '../api/call.ts';
import type { LoadedQueries, Queries } from '../api/query.ts';

/** The state of a page: its content, or why there is none. */
export type PageState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'error'; readonly error: CallError }
  | {
      readonly kind: 'loaded';
      readonly loaded: LoadedQueries<Queries>;
      /** Null until the later queries of the page are read. */
      readonly later: LoadedQueries<Queries> | null;
      /** When the content was read, ISO 8601. */
      readonly readAt: string;
      /**
       * `loading`: another query of the same address is read; `stale`: the server no longer responds; `signedOut`: the session has
       * ended. The content stays.
       */
      readonly problem: 'loading' | 'stale' | 'signedOut' | null;
    };

export const LOADING: PageState = { kind: 'loading' };

/** Returns the state when a read takes long: content of the same address stays. */
export function afterDelay(state: PageState): PageState {
  return state.kind === 'loaded' ? { ...state, problem: 'loading' } : LOADING;
}

/** Returns the state after a read has failed: content that was loaded stays. */
export function afterFailure(state: PageState, failure: unknown): PageState {
  const error = toCallError(failure);
  if (state.kind !== 'loaded') return { kind: 'error', error };
  if (error.status === 401) return { ...state, problem: 'signedOut' };
  if (isTemporary(error)) return { ...state, problem: 'stale' };
  return { kind: 'error', error };
}

export function toCallError(failure: unknown): CallError {
  return failure instanceof CallError
    ? failure
    : new CallError(0, { message: failure instanceof Error ? failure.message : String(failure) });
}

/** Whether the same request may succeed later. */
export const isTemporary = ({ status }: CallError): boolean => status === 0 || status === 429 || status >= 500;

/** The longest wait between two reads of a page. */
const MAX_DELAY_SECONDS = 300;

/**
 * Returns the seconds until a page is read again: each failure in a row doubles them, and the server may ask for more. Null if
 * no query is read again.
 */
export function getRefetchDelay(queries: Queries, failureCount: number, error: CallError | null): number | null {
  const intervals = Object.values(queries).flatMap(({ refetchSeconds }) => refetchSeconds ?? []);
  if (intervals.length === 0) return null;
  const delay = Math.min(Math.min(...intervals) * 2 ** failureCount, MAX_DELAY_SECONDS);
  return Math.max(delay, error?.retryAfter ?? 0);
}

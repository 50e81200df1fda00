import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type AddressValues, matchAddress, type PageName } from './addresses.ts';
import type { Client, CurrentUser } from './api/call.ts';
import type { LoadedQueries, Queries } from './api/query.ts';
import type { Session } from './session.ts';

/** The address of a page, and the session of the visitor. */
export interface PageLocation {
  /** The values of the parameters in the address. */
  readonly values: AddressValues;
  /** The parameters after the question mark. */
  readonly search: URLSearchParams;
  readonly session: Session;
  /** Returns the address of a path of this server: adds its base path. */
  readonly toUrl: (path: string) => string;
}

/** The location of a page that is known by its name. */
export type LocatedPage = PageLocation & { readonly name: PageName };

/** Returns the location of a path and query below the base path; null if it is the address of no page. */
export function locate(session: Session, path: string, query: string): LocatedPage | null {
  const match = matchAddress(path);
  if (match === null) return null;
  const toUrl = (target: string) => `${session.basePath}${target}`;
  return { ...match, search: new URLSearchParams(query), session, toUrl };
}

/** A page is one declarative value: its queries, title and content. States, polling and the request inspector follow from it. */
export interface Page<Q extends Queries = Queries, L extends Queries = Queries> {
  readonly name: PageName;
  readonly queries: (location: PageLocation) => Q;
  /** The queries that run when the content of `WhenNear` comes near the viewport. The page is shown without their responses first. */
  readonly later?: (loaded: LoadedQueries<Q>, location: PageLocation) => L;
  readonly title: (loaded: LoadedQueries<Q>, location: PageLocation) => string;
  /** The navigation above the heading: the position of the page, and the pages next to it. */
  readonly navigation?: (props: LoadedQueries<Q> & { readonly location: PageLocation }) => ComponentChildren;
  readonly render: (props: LoadedQueries<Q> & RenderProps<L>) => ComponentChildren;
}

interface RenderProps<L extends Queries> {
  readonly location: PageLocation;
  /** The responses to the later queries; null until they are read. */
  readonly later: LoadedQueries<L> | null;
}

/** The props of the content of a page with these queries. */
export type PageProps<
  Read extends (location: PageLocation) => Queries,
  ReadLater extends (...args: never[]) => Queries = () => Queries,
> = LoadedQueries<ReturnType<Read>> & RenderProps<ReturnType<ReadLater>>;

/** Declares the page of an address in addresses.ts. */
export function page<Q extends Queries, L extends Queries>(
  name: PageName,
  declaration: Omit<Page<Q, L>, 'name'>,
): Page {
  // A page is rendered only with the responses to its own queries.
  return { name, ...declaration } as unknown as Page;
}

/** The actions that the layout provides to the components of a page. */
export interface PageActions {
  readonly client: Client;
  /** Null for visitors, and until it is loaded. */
  readonly user: CurrentUser | null;
  /** Reads the queries of the page again. */
  readonly refetch: () => Promise<void>;
  /** Reads the later queries of the page, now and whenever it is read again. */
  readonly readLater: () => void;
  /** Opens an address of this server. */
  readonly openUrl: (url: string) => void;
  /** Announces a message to screen readers. */
  readonly announce: (text: string) => void;
}

const ActionsContext = createContext<PageActions | null>(null);

export const PageActionsProvider = ActionsContext.Provider;

/** Returns the actions of the page that a component is part of. */
export function usePageActions(): PageActions {
  const actions = useContext(ActionsContext);
  if (actions === null) throw new Error('The component is not part of a page');
  return actions;
}

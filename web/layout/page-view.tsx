import { type Page, type PageActions, PageActionsProvider, type PageLocation } from '../page.ts';
import { Header } from './header.tsx';
import type { PageState } from './page-state.ts';
import { ErrorState, LoadingState, SignedOutNote, StaleNote } from './states.tsx';

/** A page in the common layout: the header, and the content or its loading or error state. */
export function PageView({
  page,
  location,
  state,
  actions,
  onPalette,
}: {
  readonly page: Page;
  readonly location: PageLocation;
  readonly state: PageState;
  readonly actions: PageActions;
  readonly onPalette: () => void;
}) {
  return (
    <PageActionsProvider value={actions}>
      <Header user={actions.user} location={location} onPalette={onPalette} />
      <main id="main" tabIndex={-1}>
        <Content page={page} location={location} state={state} />
      </main>
    </PageActionsProvider>
  );
}

function Content({
  page,
  location,
  state,
}: {
  readonly page: Page;
  readonly location: PageLocation;
  readonly state: PageState;
}) {
  if (state.kind === 'loading') return <LoadingState />;
  if (state.kind === 'error') return <ErrorState error={state.error} location={location} />;
  // The type of any page cannot name its own queries.
  return (
    <>
      {state.problem === 'loading' ? <LoadingState /> : null}
      {state.problem === 'stale' ? <StaleNote since={state.readAt} /> : null}
      {state.problem === 'signedOut' ? <SignedOutNote location={location} /> : null}
      {page.navigation?.({ ...state.loaded, location } as never)}
      <h1 tabIndex={-1}>{page.title(state.loaded, location)}</h1>
      {page.render({ ...state.loaded, later: state.later, location } as never)}
    </>
  );
}

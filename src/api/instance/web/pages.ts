import { type EndpointDefinition, endpoint } from '#http/endpoint/endpoint.ts';
import { html } from '#http/endpoint/responses.ts';
import { routeNotFound } from '#http/errors/http-error.ts';
import { visitor } from '#http/pages/web-session.ts';
import { createWebShell } from '#http/pages/web-shell.ts';
import { ADDRESSES, matchAddress, type PageName, toApiPath } from '#web/addresses.ts';

/** Returns the endpoint that sends the application at the address of a page (contract/web.md §1). */
function webPage(name: PageName) {
  return endpoint({
    get: ADDRESSES[name].path,
    summary: `Get the page of ${ADDRESSES[name].shows}`,
    description:
      'Only for clients whose `Accept` names `text/html`; for others the path is unknown. The page is the same whether or not ' +
      'what the address names exists: its script calls the API.',
    access: visitor(),
    stageOrder: 'clientToken',
    outsideApi: true,
    htmlOnly: true,
    response: html,
    handle({ visitor, request }) {
      const match = matchAddress(request.path);
      // The router does not know the reserved segments.
      if (match?.name !== name) throw routeNotFound();
      return createWebShell(request, visitor, toApiPath(name, match.values));
    },
  });
}

const toEndpointName = (name: PageName): string => `get${name[0]!.toUpperCase()}${name.slice(1)}Page`;

/** The page at `/`, which other clients may request too, is an endpoint of the sign-in. */
const { home: _home, ...OTHERS } = ADDRESSES;

/** The endpoints of all other pages: `getExplorePage` and so on. */
export const webPages: Readonly<Record<string, EndpointDefinition>> = Object.fromEntries(
  (Object.keys(OTHERS) as PageName[]).map((name) => [toEndpointName(name), webPage(name)]),
);

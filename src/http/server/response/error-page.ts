import { createHtmlPage, markup } from '#http/pages/html-page.ts';
import { type IncomingRequest, localUrl } from '#http/request/incoming.ts';
import { collapseSlashes } from '#text/trim.ts';
import type { OutgoingResponse } from './response.ts';

/** The errors that browsers get as pages (contract/web.md §1). */
const ERRORS: Readonly<Record<number, { readonly title: string; readonly text: string }>> = {
  403: { title: 'You are not allowed to see this page', text: 'Ask an administrator or the owner of the project.' },
  404: { title: 'This page does not exist', text: 'Or it is hidden from you: sign in to see more.' },
  500: { title: 'The server has a problem', text: 'The administrator finds the cause in the log of the server.' },
};

/**
 * Returns an error response as a page with the same status and headers. Returns null for a path of the API, for other statuses,
 * and for a response that is a page.
 */
export function createErrorPage(
  request: Pick<IncomingRequest, 'path' | 'baseUrl'>,
  { status, headers }: OutgoingResponse,
): OutgoingResponse | null {
  const error = ERRORS[status];
  const isPage = String(headers['Content-Type']).startsWith('text/html');
  if (error === undefined || isPage || /^\/api(?:\/|$)/.test(collapseSlashes(request.path))) return null;
  const main = markup`<p>${error.text}</p>
<p><a href="${localUrl(request, '/')}">Home</a></p>`;
  const page = createHtmlPage({ title: error.title, main, csrfToken: null });
  return {
    status,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', ...page.headers },
    body: page.body,
  };
}

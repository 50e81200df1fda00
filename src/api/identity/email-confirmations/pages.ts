import type { HtmlReply } from '#http/endpoint/responses.ts';
import { createAlertBox, createCsrfField, createHtmlPage, markup } from '#http/pages/html-page.ts';
import { type IncomingRequest, localUrl } from '#http/request/incoming.ts';

/** The session of the visitor. */
interface PageSession {
  readonly csrfToken: string;
}

interface ConfirmationPageOptions {
  /** The token of the link. */
  readonly token: string;
  readonly address: string;
  readonly headers: HtmlReply['headers'];
}

/** Returns the page of a link that confirms an address. */
export function createConfirmationPage(
  request: IncomingRequest,
  { csrfToken }: PageSession,
  { token, address, headers }: ConfirmationPageOptions,
): HtmlReply {
  const main = markup`<p>Confirm that ${address} is your e-mail address.</p>
<form method="post" action="${localUrl(request, '/users/confirmation')}">
${createCsrfField(csrfToken)}
<input type="hidden" name="confirmation_token" value="${token}">
<button>Confirm</button>
</form>`;
  return createHtmlPage({ title: 'Confirm your e-mail address', main, csrfToken, headers });
}

/** Returns the page after an address is confirmed. */
export function createConfirmedPage({ csrfToken }: PageSession, address: string): HtmlReply {
  return createHtmlPage({
    title: 'Your e-mail address is confirmed',
    main: markup`<p>${address} belongs to your account now.</p>`,
    csrfToken,
  });
}

/** Returns the page for a link that is used, expired or wrong, with 422. */
export function createInvalidLinkPage({ csrfToken }: PageSession, headers: HtmlReply['headers'] = {}): HtmlReply {
  const main = markup`${createAlertBox('This link is not valid any more: it works once, for three days.')}
<p>To get another one, delete the address from your account and add it again.</p>`;
  return createHtmlPage({ title: 'Confirm your e-mail address', main, csrfToken, headers, status: 422 });
}

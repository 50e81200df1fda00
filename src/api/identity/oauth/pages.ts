import type { CallerUser } from '#authentication/caller.ts';
import { describeScope } from '#authentication/tokens/scope-descriptions.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import { createAlertBox, createCsrfField, createHtmlPage, type Markup, markup } from '#http/pages/html-page.ts';
import { localUrl } from '#http/request/base-url.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Authorization, AuthorizationRequest, UntrustedRequest } from './authorization-request.ts';

interface ConsentPageOptions {
  readonly request: IncomingRequest;
  readonly user: CallerUser;
  readonly csrfToken: string;
  /** The request of the client, repeated by the form. */
  readonly fields: AuthorizationRequest;
}

/** Returns the page that asks the user for consent: it shows the account, the scopes and the redirect target. */
export function createConsentPage(
  { application, scopes, clientRedirect }: Authorization,
  { request, user, csrfToken, fields }: ConsentPageOptions,
): HtmlReply {
  const renderForm = (
    formFields: Markup,
  ) => markup`<form method="post" action="${localUrl(request, '/oauth/authorize')}">
${createCsrfField(csrfToken)}
${formFields}
</form>`;
  const main = markup`<p><strong>${application.name}</strong> wants to act for you, <strong>${user.name}</strong> <span class="quiet">@${user.username}</span>. It could:</p>
<ul>
${scopes.map((scope) => markup`<li>${describeScope(scope)} <span class="quiet">(${scope})</span></li>\n`)}</ul>
<p class="quiet">Either way you leave for ${getDisplayHost(clientRedirect.redirectUri)}.</p>
${renderForm(markup`${createHiddenFields(fields)}<button>Authorize ${application.name}</button>`)}
${renderForm(markup`<input type="hidden" name="_method" value="delete">
${createHiddenFields(fields)}<button class="other">Deny</button>`)}`;
  return createHtmlPage({
    title: 'Authorize an application',
    main,
    csrfToken,
    formTargets: [getFormTarget(clientRedirect.redirectUri)],
  });
}

const UNTRUSTED_REASONS: Readonly<Record<UntrustedRequest['invalidField'], string>> = {
  client: 'No application is registered here with this client_id.',
  redirectUri: 'The redirect_uri is none of those that the application has registered.',
};

/** Returns an error page (400) without a redirect, because the redirect URI is not trusted. */
export function createUntrustedRequestPage({ invalidField }: UntrustedRequest): HtmlReply {
  const main = markup`${createAlertBox(UNTRUSTED_REASONS[invalidField])}
<p>You have come from another site, and what it has sent along is wrong. Nobody has got anything from your account.</p>`;
  return createHtmlPage({ title: 'An application asks in a wrong way', main, csrfToken: null, status: 400 });
}

function createHiddenFields(fields: AuthorizationRequest): readonly Markup[] {
  const textFields = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return textFields.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value as string}">\n`);
}

/** Returns the host for display, or the scheme of a native app. */
function getDisplayHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
}

/** Returns the `form-action` source for the redirect. Policies support neither IPv6 addresses nor hosts of other schemes. */
function getFormTarget(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

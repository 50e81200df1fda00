import type { CallerUser } from '#authentication/caller.ts';
import { scopeMeaning } from '#authentication/tokens/scope-descriptions.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import { alertBox, csrfField, htmlPage, type Markup, markup } from '#http/pages/html-page.ts';
import { localUrl } from '#http/request/base-url.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Authorization, AuthorizationRequest, StrayRequest } from './authorization-request.ts';

interface Asking {
  readonly request: Incoming;
  readonly user: CallerUser;
  readonly csrfToken: string;
  /** What the client has sent, to come back with the answer. */
  readonly fields: AuthorizationRequest;
}

/** Asks the user whether this application may act for him, and tells as what and where he goes then. */
export function consentPage(
  { application, scopes, to }: Authorization,
  { request, user, csrfToken, fields }: Asking,
): HtmlReply {
  const form = (fields: Markup) => markup`<form method="post" action="${localUrl(request, '/oauth/authorize')}">
${csrfField(csrfToken)}
${fields}
</form>`;
  const main = markup`<p><strong>${application.name}</strong> wants to act for you, <strong>${user.name}</strong> <span class="quiet">@${user.username}</span>. It could:</p>
<ul>
${scopes.map((scope) => markup`<li>${scopeMeaning(scope)} <span class="quiet">(${scope})</span></li>\n`)}</ul>
<p class="quiet">Either way you leave for ${placeOf(to.redirectUri)}.</p>
${form(markup`${hiddenFields(fields)}<button>Authorize ${application.name}</button>`)}
${form(markup`<input type="hidden" name="_method" value="delete">
${hiddenFields(fields)}<button class="other">Deny</button>`)}`;
  return htmlPage({ title: 'Authorize an application', main, csrfToken, formsLeadTo: [formTarget(to.redirectUri)] });
}

const REASONS: Readonly<Record<StrayRequest['wrong'], string>> = {
  client: 'No application is registered here with this client_id.',
  redirectUri: 'The redirect_uri is none of those that the application has registered.',
};

/** 400, why, and nowhere to go: the address could be anybody's. */
export function strayRequestPage({ wrong }: StrayRequest): HtmlReply {
  const main = markup`${alertBox(REASONS[wrong])}
<p>You have come from another site, and what it has sent along is wrong. Nobody has got anything from your account.</p>`;
  return htmlPage({ title: 'An application asks in a wrong way', main, csrfToken: null, status: 400 });
}

function hiddenFields(fields: AuthorizationRequest): readonly Markup[] {
  const given = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return given.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value as string}">\n`);
}

/** What a user knows a site by; of an installed program, its scheme. */
function placeOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
}

/** What the page's policy has to allow for the redirect: policies know no IPv6 addresses and no hosts of other schemes. */
function formTarget(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

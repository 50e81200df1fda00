import type { CallerUser } from '#authentication/caller.ts';
import { createGrant } from '#authentication/oauth/authorization-codes.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { HtmlReply, RedirectReply } from '#http/endpoint/responses.ts';
import { type AuthorizationRequest, readAuthorization } from './authorization-request.ts';
import { strayRequestPage } from './pages.ts';
import { withCode, withError } from './redirect-to-client.ts';

/** The user lets the application have what it asks for: back to it with a code, which it exchanges for a token. */
export async function authorize(
  uow: UnitOfWork,
  user: CallerUser,
  request: AuthorizationRequest,
): Promise<HtmlReply | RedirectReply> {
  const asked = await readAuthorization(uow, request);
  if (asked.kind === 'stray') return strayRequestPage(asked);
  if (asked.kind === 'refused') return withError(asked.to, asked.error);
  const { application, to, scopes, challenge } = asked;
  const { redirectUri } = to;
  return withCode(
    to,
    await createGrant(uow, { applicationId: application.id, userId: user.id, scopes, redirectUri, challenge }),
  );
}

/** The user does not: back to the application with just that. */
export async function deny(db: Reader, request: AuthorizationRequest): Promise<HtmlReply | RedirectReply> {
  const asked = await readAuthorization(db, request);
  return asked.kind === 'stray' ? strayRequestPage(asked) : withError(asked.to, 'access_denied');
}

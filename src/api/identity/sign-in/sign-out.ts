import { endSession } from '#authentication/sessions/sessions.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { RedirectReply } from '#http/endpoint/responses.ts';
import type { Visitor } from '#http/pages/web-session.ts';
import { localUrl } from '#http/request/base-url.ts';
import { noCookie } from '#http/request/cookie.ts';
import type { Incoming } from '#http/request/incoming.ts';

/** Ends the visitor's session, if there is one: from the next request on its cookie counts for nothing, in any process. */
export async function signOutVisitor(
  runUnitOfWork: RunUnitOfWork,
  request: Incoming,
  { session, caller }: Visitor,
): Promise<RedirectReply> {
  if (session !== null) await runUnitOfWork(caller, (uow) => endSession(uow, session.digest));
  return { location: localUrl(request, '/users/sign_in'), headers: { 'Set-Cookie': noCookie(request) } };
}

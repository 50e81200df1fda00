import { deleteSession } from '#authentication/sessions/sessions.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { RedirectReply } from '#http/endpoint/responses.ts';
import type { Visitor } from '#http/pages/web-session.ts';
import { createExpiredSessionCookie } from '#http/request/cookie.ts';
import { type IncomingRequest, localUrl } from '#http/request/incoming.ts';

/** Deletes the session of a visitor, if any; its cookie is invalid from the next request on, in all processes. */
export async function signOutVisitor(
  runUnitOfWork: RunUnitOfWork,
  request: IncomingRequest,
  { session, caller }: Visitor,
): Promise<RedirectReply> {
  if (session !== null) await runUnitOfWork(caller, (uow) => deleteSession(uow, session.digest));
  return {
    location: localUrl(request, '/users/sign_in'),
    headers: { 'Set-Cookie': createExpiredSessionCookie(request) },
  };
}

import { Type } from 'typebox';
import { deleteSessionById, getSessionExpiry } from '#authentication/sessions/sessions.ts';
import type { Columns, Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { browserSession } from '#http/access/session-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, noContent, nullable, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import { fail } from '#runtime/failure.ts';

// The browsers in which a user is signed in (contract/web.md §3).

type SessionRow = Columns<'sessions', 'id' | 'digest' | 'created_at' | 'last_seen_at' | 'ip_address' | 'user_agent'>;

const BrowserSession = entity('BrowserSession', {
  id: Type.Integer(),
  current: Type.Boolean({ description: 'Whether it is the session of the request.' }),
  created_at: dateTime,
  last_used_at: dateTime,
  ip_address: nullable(Type.String({ description: 'The address of the last use.' })),
  user_agent: nullable(Type.String({ description: 'The browser that signed in, as it names itself.' })),
})
  .columns('id', 'created_at', 'ip_address', 'user_agent')
  .from((row: SessionRow, { caller }) => ({
    current: row.digest === caller.sessionDigest,
    last_used_at: row.last_seen_at,
  }));

export const listOwnSessions = endpoint({
  get: '/user/sessions',
  summary: 'List your browser sessions',
  description:
    'Returns the browsers in which the caller is signed in, the newest first. `last_used_at` may be some minutes too ' +
    'early.',
  access: browserSession(),
  response: page(BrowserSession),
  async handle({ caller, page }, { database, clock, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return listSessions(database.reader, caller.user.id, clock, page);
  },
});

export const deleteOwnSession = endpoint({
  delete: '/user/sessions/:id',
  summary: 'Delete one of your browser sessions',
  description: 'Signs the caller out in that browser, immediately. It may be the one of the request.',
  access: browserSession(),
  params: { id: describe(required(integer), 'Global ID of the session.') },
  errors: { notFound: NOT_FOUND },
  response: noContent,
  async write(uow, { params }) {
    return (await deleteSessionById(uow, uow.actor.user.id, params.id)) ? undefined : fail('notFound');
  },
});

/** Returns one page of the sessions of a user that have not expired. */
async function listSessions(db: Reader, userId: number, clock: Clock, page: OffsetRequest): Promise<Page<SessionRow>> {
  // index: sessions_by_user
  const query = db
    .selectFrom('sessions')
    .select(['id', 'digest', 'created_at', 'last_seen_at', 'ip_address', 'user_agent'])
    .where('user_id', '=', userId)
    .where('last_seen_at', '>', await getSessionExpiry(db, timestamp(clock)));
  return paginate(db, query.orderBy('id', 'desc'), page);
}

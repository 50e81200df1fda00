import { today } from '../../../clock.ts';
import { administeringUser } from '../../../http/access/user-access.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { commaArray, date, integer, oneOf, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { impersonationTokenNamed } from './access.ts';
import { createImpersonationToken as create } from './create.ts';
import { ImpersonationToken, ImpersonationTokenWithSecret, impersonationToken, issuedToken } from './entities.ts';
import { revokeImpersonationToken } from './revoke.ts';
import { listTokens } from './store.ts';

const ofUser = { user_id: required(integer) };
const ofToken = { ...ofUser, impersonation_token_id: required(integer) };
const cannotCreate = {
  userNotFound: [404, '404 User Not Found'],
  internalUser: [403, '403 Forbidden'],
  invalid: [400, RECORD_ERRORS],
} as const;

export const listImpersonationTokens = endpoint({
  get: '/users/:user_id/impersonation_tokens',
  summary: 'List the tokens with which administrators act as a user',
  access: administeringUser('user_id'),
  scopes: ['read_user'],
  params: { ...ofUser, state: optional(oneOf('all', 'active', 'inactive'), 'all') },
  answer: page(ImpersonationToken),
  async handle({ user, params, page, db, clock, base, tokenUses }) {
    await tokenUses.settled();
    const filter = { userId: user.id, state: params.state ?? 'all', today: today(clock) };
    const found = await listTokens(db, filter, page);
    return mapPage(found, (tokens) => tokens.map((token) => impersonationToken(token, base)));
  },
});

export const createImpersonationToken = endpoint({
  post: '/users/:user_id/impersonation_tokens',
  summary: 'Create a token to act as a user',
  access: administeringUser('user_id'),
  params: {
    ...ofUser,
    name: required(text),
    description: optional(text),
    expires_at: optional(date),
    scopes: optional(commaArray(text)),
  },
  refuses: cannotCreate,
  records: ['personal_access_token_created'],
  answer: created(ImpersonationTokenWithSecret),
  async handle({ user, params, caller, database, clock, base }) {
    const order = { ...params, scopes: params.scopes ?? [], expiresAt: params.expires_at ?? null };
    const issued = await create({ database, clock }, user, order, caller);
    return isRefused(issued) ? issued : issuedToken(issued, base);
  },
});

export const readImpersonationToken = endpoint({
  get: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'One token to act as a user',
  access: administeringUser('user_id').record(impersonationTokenNamed),
  scopes: ['read_user'],
  params: ofToken,
  answer: entity(ImpersonationToken),
  handle: ({ token, base }) => impersonationToken(token, base),
});

export const deleteImpersonationToken = endpoint({
  delete: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'Revoke a token to act as a user',
  access: administeringUser('user_id').record(impersonationTokenNamed),
  params: ofToken,
  conditional: ({ token }) => token.updated_at,
  records: ['personal_access_token_revoked'],
  answer: nothing,
  handle: ({ user, token, caller, database }) => revokeImpersonationToken(database, { user, token, caller }),
});

import { administratorWithUser } from '#http/access/user-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, string } from '#http/parameters/texts.ts';
import { commaSeparated, date, oneOf } from '#http/parameters/types.ts';
import { MISSING_SCOPE } from '../personal-access-tokens/index.ts';
import { impersonationTokenResource } from './access.ts';
import { createImpersonationToken as create } from './create.ts';
import { ImpersonationToken, ImpersonationTokenWithSecret } from './entities.ts';
import { revokeImpersonationToken } from './revoke.ts';
import { listImpersonationTokensOfUser } from './store.ts';

export const listImpersonationTokens = endpoint({
  get: '/users/:user_id/impersonation_tokens',
  summary: 'List the impersonation tokens of a user',
  access: administratorWithUser('user_id'),
  scopes: ['read_user'],
  params: { state: optional(oneOf('all', 'active', 'inactive'), 'all') },
  response: page(ImpersonationToken),
  async handle({ user, params, page }, { database, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return listImpersonationTokensOfUser(database.reader, user.id, params, page);
  },
});

export const createImpersonationToken = endpoint({
  post: '/users/:user_id/impersonation_tokens',
  summary: 'Create an impersonation token',
  access: administratorWithUser('user_id'),
  params: {
    name: required(domainValidatedText(255)),
    description: optional(longText),
    expires_at: optional(date),
    scopes: optional(commaSeparated(string)),
  },
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: FORBIDDEN,
    missingScope: MISSING_SCOPE,
    invalid: INVALID,
  },
  activity: ['personal_access_token_created'],
  response: created(ImpersonationTokenWithSecret),
  write: (uow, { user, params: { name, description, scopes, expires_at } }) =>
    create(uow, user, { name, description, scopes: scopes ?? [], expiresAt: expires_at ?? null }),
});

export const getImpersonationToken = endpoint({
  get: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'Get an impersonation token',
  access: administratorWithUser('user_id').resource(impersonationTokenResource),
  scopes: ['read_user'],
  response: ok(ImpersonationToken),
  read: (_db, { token }) => token,
});

export const deleteImpersonationToken = endpoint({
  delete: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'Revoke an impersonation token',
  access: administratorWithUser('user_id').resource(impersonationTokenResource),
  lastModified: ({ token }) => token.updated_at,
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow, { token, user }) => revokeImpersonationToken(uow, token, user),
});

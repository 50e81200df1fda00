import { Type } from 'typebox';
import {
  type AccessToken,
  activeTokenCondition,
  findAccessToken,
  type IssuedToken,
  tokenColumns,
} from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type AccessCall, administratorWithUser } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, string } from '#http/parameters/texts.ts';
import { commaSeparated, date, integer, oneOf } from '#http/parameters/types.ts';
import { MISSING_SCOPE, serializeToken, tokenFields } from '../personal-access-tokens/index.ts';
import * as changes from './changes.ts';

interface TokenParameters {
  readonly impersonation_token_id: number;
}

/** Resource: an impersonation token of the user. Other kinds of tokens get 404. */
const impersonationTokenResource = {
  name: 'token',
  params: { impersonation_token_id: required(integer) },
  async load(
    { db, services, params }: AccessCall<TokenParameters>,
    { user }: { readonly user: User },
  ): Promise<AccessToken | null> {
    // The response shows the last use of the token, so records of its use that are still in memory must be stored first.
    await services.tokenUsage.waitForFlush();
    const token = await findAccessToken(db, params.impersonation_token_id);
    return token?.impersonation && token.user_id === user.id ? token : null;
  },
  notFound: () => notFound('Impersonation Token'),
} as const;

/** The fields of an impersonation token (contract/conventions.md §10). */
const impersonationTokenFields = { ...tokenFields, impersonation: Type.Boolean() };

const ImpersonationToken = entity('ImpersonationToken', impersonationTokenFields).from(
  (token: AccessToken, context) => ({
    ...serializeToken(token, context),
    impersonation: true,
  }),
);

/** An impersonation token with its secret. Only the response to the creation contains it. */
const ImpersonationTokenWithSecret = entity('ImpersonationTokenWithSecret', {
  ...impersonationTokenFields,
  token: Type.String(),
}).from(({ tokenRow: token, secret }: IssuedToken, context) => ({
  ...serializeToken(token, context),
  impersonation: true,
  token: secret,
}));

export const listImpersonationTokens = endpoint({
  get: '/users/:user_id/impersonation_tokens',
  summary: 'List the impersonation tokens of a user',
  description: 'Returns the impersonation tokens of the user, without secrets, ordered by id.',
  access: administratorWithUser('user_id'),
  scopes: ['read_user'],
  params: {
    state: describe(
      optional(oneOf('all', 'active', 'inactive'), 'all'),
      '`active`: neither revoked nor expired. `inactive`: revoked or expired.',
    ),
  },
  response: page(ImpersonationToken),
  async handle({ user, params, page }, { database, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return listImpersonationTokensOfUser(database.reader, user.id, params, page);
  },
});

export const createImpersonationToken = endpoint({
  post: '/users/:user_id/impersonation_tokens',
  summary: 'Create an impersonation token',
  description:
    'Creates a token with which the caller acts as the user. The response is the only one with the secret in ' +
    '`token`. Users neither see these tokens nor can they revoke them. The token of the request must have all scopes ' +
    'of the new one.',
  access: administratorWithUser('user_id'),
  params: {
    name: required(domainValidatedText(255)),
    description: optional(longText),
    expires_at: describe(optional(date), 'Day on which the token expires; required if the instance requires expiry.'),
    scopes: describe(optional(commaSeparated(string)), 'At least one scope.'),
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
    changes.createImpersonationToken(uow, user, {
      name,
      description,
      scopes: scopes ?? [],
      expiresAt: expires_at ?? null,
    }),
});

export const getImpersonationToken = endpoint({
  get: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'Get an impersonation token',
  description: 'Returns the impersonation token without its secret. Tokens of other kinds and of other users get 404.',
  access: administratorWithUser('user_id').resource(impersonationTokenResource),
  scopes: ['read_user'],
  response: ok(ImpersonationToken),
  read: (_db, { token }) => token,
});

export const deleteImpersonationToken = endpoint({
  delete: '/users/:user_id/impersonation_tokens/:impersonation_token_id',
  summary: 'Revoke an impersonation token',
  description:
    'Revokes the token immediately; it stays in the list as revoked. Revoking it again succeeds and changes nothing.',
  access: administratorWithUser('user_id').resource(impersonationTokenResource),
  lastModified: ({ token }) => token.updated_at,
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow, { token, user }) => changes.revokeImpersonationToken(uow, token, user),
});

/** Returns one page of the impersonation tokens of a user, ordered by id. */
async function listImpersonationTokensOfUser(
  db: Reader,
  userId: number,
  { state }: { readonly state: 'all' | 'active' | 'inactive' },
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  const isActive = activeTokenCondition(db.today);
  // index: access_tokens_by_user
  let tokens = db
    .selectFrom('access_tokens')
    .select(tokenColumns)
    .where('user_id', '=', userId)
    .where('impersonation', '=', true);
  if (state === 'active') tokens = tokens.where(isActive);
  if (state === 'inactive') tokens = tokens.where((eb) => eb.not(isActive));
  return paginate(db, tokens.orderBy('access_tokens.id'), page);
}

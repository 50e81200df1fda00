import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { administrator, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { date, integer } from '#http/parameters/types.ts';
import { rotating } from './access.ts';
import { issueToken } from './create.ts';
import { PersonalAccessToken, PersonalAccessTokenWithSecret } from './entities.ts';
import { CANNOT_ISSUE, CANNOT_ROTATE, NOT_PERMITTED, NOT_PERSONAL } from './errors.ts';
import { ownToken, visibleToken, visibleTokens } from './get.ts';
import { orderOf, tokenFilters } from './parameters.ts';
import { revoke, revokeOwn } from './revoke.ts';
import { rotate, rotateOwn } from './rotate.ts';

/** To administrators, who may see every token: this one is not there. */
const NO_TOKEN = [404, '404 Not Found'] as const;
const CANNOT_REVOKE = [400, '400 Bad request - Not permitted to revoke'] as const;

export const createUserToken = endpoint({
  post: '/users/:user_id/personal_access_tokens',
  summary: 'Create a personal access token for a user',
  access: administrator(),
  params: { user_id: required(integer), ...orderOf(SCOPES) },
  errors: CANNOT_ISSUE,
  activity: ['personal_access_token_created'],
  response: created(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => issueToken(uow, params.user_id, params),
});

export const createOwnToken = endpoint({
  post: '/user/personal_access_tokens',
  summary: 'Create a personal access token of the caller, with scopes that reach nothing',
  access: signedIn(),
  params: orderOf(['k8s_proxy', 'self_rotate']),
  errors: CANNOT_ISSUE,
  activity: ['personal_access_token_created'],
  response: created(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => issueToken(uow, uow.actor.user.id, params),
});

export const listPersonalAccessTokens = endpoint({
  get: '/personal_access_tokens',
  summary: 'List personal access tokens',
  access: signedIn(),
  params: { user_id: optional(integer), ...tokenFilters },
  errors: { notPermitted: NOT_PERMITTED, userNotFound: NO_TOKEN },
  response: page(PersonalAccessToken),
  async handle({ params, caller, page }, { database, tokenUses }) {
    await tokenUses.settled();
    return visibleTokens(database.reader, caller, params, page);
  },
});

export const readOwnPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/self',
  summary: 'The token of the request',
  access: signedIn(),
  scopes: 'any',
  errors: { notPersonal: NOT_PERSONAL },
  response: ok(PersonalAccessToken),
  async handle({ caller }, { database, tokenUses }) {
    await tokenUses.settled();
    return ownToken(database.reader, caller);
  },
});

export const revokeOwnPersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/self',
  summary: 'Revoke the token of the request',
  access: signedIn(),
  scopes: 'any',
  errors: { notPersonal: NOT_PERSONAL, notPermitted: CANNOT_REVOKE },
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow) => revokeOwn(uow),
});

export const rotateOwnPersonalAccessToken = endpoint({
  post: '/personal_access_tokens/self/rotate',
  summary: 'Replace the token of the request',
  access: rotating(),
  scopes: ['self_rotate'],
  params: { expires_at: optional(date) },
  errors: { ...CANNOT_ROTATE, notPersonal: [405, '405 Method Not Allowed'] },
  activity: ['personal_access_token_revoked', 'personal_access_token_created'],
  response: ok(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => rotateOwn(uow, params.expires_at ?? null),
});

export const readPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/:id',
  summary: 'One personal access token',
  access: signedIn(),
  params: { id: required(integer) },
  errors: { notPermitted: NOT_PERMITTED, notFound: NO_TOKEN },
  response: ok(PersonalAccessToken),
  async handle({ params, caller }, { database, tokenUses }) {
    await tokenUses.settled();
    return visibleToken(database.reader, caller, params.id);
  },
});

export const revokePersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/:id',
  summary: 'Revoke a personal access token',
  access: signedIn(),
  params: { id: required(integer) },
  errors: { notFound: NOT_FOUND, notPermitted: CANNOT_REVOKE },
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow, { params }) => revoke(uow, params.id),
});

export const rotatePersonalAccessToken = endpoint({
  post: '/personal_access_tokens/:id/rotate',
  summary: 'Replace a personal access token',
  access: rotating(),
  params: { id: required(integer), expires_at: optional(date) },
  errors: { ...CANNOT_ROTATE, notPermitted: NOT_PERMITTED, notFound: NO_TOKEN },
  activity: ['personal_access_token_revoked', 'personal_access_token_created'],
  response: ok(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => rotate(uow, { id: params.id, expiresAt: params.expires_at ?? null }),
});

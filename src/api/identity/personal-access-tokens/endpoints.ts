import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, findAccessToken, SCOPES, type Scope } from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import { administrator, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { date, integer } from '#http/parameters/types.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  CREATE_TOKEN_ERRORS,
  createTokenParams,
  NOT_PERMITTED,
  NOT_PERSONAL_TOKEN,
  ROTATE_ERRORS,
  ROTATION_EXPIRY,
  rotateTokenAccess,
  tokenFilters,
} from './access.ts';
import { canManageToken, issueToken, revokeOwnToken, revokePersonalToken } from './changes.ts';
import { PersonalAccessToken, PersonalAccessTokenWithSecret } from './entities.ts';
import { rotateOwnToken, rotatePersonalToken } from './rotate.ts';
import { listTokens, type TokenFilter } from './store.ts';

/** Only administrators get this error. They may see every token, so they may learn that one does not exist. */
const TOKEN_NOT_FOUND = [404, '404 Not Found'] as const;
const REVOKE_NOT_PERMITTED = [400, '400 Bad request - Not permitted to revoke'] as const;

export const createUserPersonalAccessToken = endpoint({
  post: '/users/:user_id/personal_access_tokens',
  summary: 'Create a personal access token for a user',
  description:
    'Creates a token that acts as the user. The response is the only one with the secret in `token`. The token of ' +
    'the request must have all scopes of the new one. The expiry date cannot be later than the instance allows.',
  access: administrator(),
  params: { user_id: required(integer), ...createTokenParams(SCOPES) },
  errors: CREATE_TOKEN_ERRORS,
  activity: ['personal_access_token_created'],
  response: created(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => issueToken(uow, params.user_id, params),
});

export const createOwnPersonalAccessToken = endpoint({
  post: '/user/personal_access_tokens',
  summary: 'Create a personal access token for yourself',
  description:
    'Creates a token of the caller. In the browser, with the session cookie, it may have all scopes, and those for ' +
    'administrators if the caller is one; other callers can only choose `k8s_proxy` and `self_rotate`. The response ' +
    'is the only one with the secret in `token`.',
  access: signedIn(),
  params: createTokenParams(SCOPES),
  errors: { ...CREATE_TOKEN_ERRORS, invalidScope: [400, { error: 'scopes does not have a valid value' }] },
  activity: ['personal_access_token_created'],
  response: created(PersonalAccessTokenWithSecret),
  async write(uow, { params }) {
    if (!params.scopes.every((scope) => mayCreateOwnToken(uow.actor, scope))) return fail('invalidScope');
    return issueToken(uow, uow.actor.user.id, params);
  },
});

export const listPersonalAccessTokens = endpoint({
  get: '/personal_access_tokens',
  summary: 'List personal access tokens',
  description:
    'Returns the tokens of the caller, without secrets, ordered by id unless `sort` says otherwise. Administrators ' +
    'get the tokens of all users and can choose one by `user_id`. Only administrators also see impersonation tokens.',
  access: signedIn(),
  params: {
    user_id: describe(
      optional(integer),
      'Only tokens of this user. Other callers than administrators can only send their own id.',
    ),
    ...tokenFilters,
  },
  errors: { notPermitted: NOT_PERMITTED, userNotFound: TOKEN_NOT_FOUND },
  response: page(PersonalAccessToken),
  async handle({ params, caller, page }, { database, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return listVisibleTokens(database.reader, caller, params, page);
  },
});

export const getOwnPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/self',
  summary: 'Get the token of the request',
  description:
    'Returns the personal, project or group access token that authenticates the request, regardless of its scopes. OAuth ' +
    'tokens and sessions get 400.',
  access: signedIn(),
  scopes: 'any',
  errors: { notPersonal: NOT_PERSONAL_TOKEN },
  response: ok(PersonalAccessToken),
  async handle({ caller }, { database, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return getOwnToken(database.reader, caller);
  },
});

export const revokeOwnPersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/self',
  summary: 'Revoke the token of the request',
  description:
    'Revokes the token that authenticates the request immediately, regardless of its scopes. An impersonation token can only ' +
    'revoke itself if its user is an administrator.',
  access: signedIn(),
  scopes: 'any',
  errors: { notPersonal: NOT_PERSONAL_TOKEN, notPermitted: REVOKE_NOT_PERMITTED },
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow) => revokeOwnToken(uow),
});

export const rotateOwnPersonalAccessToken = endpoint({
  post: '/personal_access_tokens/self/rotate',
  summary: 'Rotate the token of the request',
  description:
    'Replaces the token of the request by a new one with the same name and scopes, and revokes the old one immediately. ' +
    'The response is the only one with the new secret. A request with a token that was revoked before gets 401 and ' +
    'revokes all tokens that descend from it by rotation.',
  access: rotateTokenAccess(),
  scopes: ['self_rotate'],
  params: { expires_at: describe(optional(date), ROTATION_EXPIRY) },
  errors: { ...ROTATE_ERRORS, notPersonal: [405, '405 Method Not Allowed'] },
  activity: ['personal_access_token_revoked', 'personal_access_token_created'],
  response: ok(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => rotateOwnToken(uow, params.expires_at ?? null),
});

export const getPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/:id',
  summary: 'Get a personal access token',
  description:
    'Returns a token of the caller, or for administrators any token, without its secret. Other callers get 401 ' +
    'whether the token exists or not.',
  access: signedIn(),
  params: { id: required(integer) },
  unknownIdStatus: 401,
  errors: { notPermitted: NOT_PERMITTED, notFound: TOKEN_NOT_FOUND },
  response: ok(PersonalAccessToken),
  async handle({ params, caller }, { database, tokenUsage }) {
    await tokenUsage.waitForFlush();
    return getVisibleToken(database.reader, caller, params.id);
  },
});

export const revokePersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/:id',
  summary: 'Revoke a personal access token',
  description:
    'Revokes a token of the caller, or for administrators any token, immediately. Revoking a revoked token again ' +
    'succeeds and changes nothing.',
  access: signedIn(),
  params: { id: required(integer) },
  errors: { notFound: NOT_FOUND, notPermitted: REVOKE_NOT_PERMITTED },
  activity: ['personal_access_token_revoked'],
  response: noContent,
  write: (uow, { params }) => revokePersonalToken(uow, params.id),
});

export const rotatePersonalAccessToken = endpoint({
  post: '/personal_access_tokens/:id/rotate',
  summary: 'Rotate a personal access token',
  description:
    'Replaces a token of the caller, or for administrators any token, by a new one with the same name and scopes. ' +
    'The old one is revoked immediately. The response is the only one with the new secret.',
  access: rotateTokenAccess(),
  params: { id: required(integer), expires_at: describe(optional(date), ROTATION_EXPIRY) },
  unknownIdStatus: 401,
  errors: { ...ROTATE_ERRORS, notPermitted: NOT_PERMITTED, notFound: TOKEN_NOT_FOUND },
  activity: ['personal_access_token_revoked', 'personal_access_token_created'],
  response: ok(PersonalAccessTokenWithSecret),
  write: (uow, { params }) => rotatePersonalToken(uow, { id: params.id, expiresAt: params.expires_at ?? null }),
});

/** The scopes of tokens that callers create for themselves with another token. */
const SCOPES_WITHOUT_SESSION: readonly Scope[] = ['k8s_proxy', 'self_rotate'];
/** The scopes that only tokens of administrators may have. */
const ADMINISTRATOR_SCOPES: readonly Scope[] = ['sudo', 'admin_mode', 'read_service_ping'];

/** Returns whether the caller may create a token of their own with this scope (contract/web.md §3). */
function mayCreateOwnToken(caller: SignedInCaller, scope: Scope): boolean {
  if (caller.sessionDigest === undefined) return SCOPES_WITHOUT_SESSION.includes(scope);
  return isAdministrator(caller) || !ADMINISTRATOR_SCOPES.includes(scope);
}

/** Returns a token that the caller may see. Only administrators get 404 for a missing token; others get 401 in any case. */
async function getVisibleToken(
  db: Reader,
  caller: SignedInCaller,
  id: number,
): Promise<AccessToken | Failure<'notFound' | 'notPermitted'>> {
  const token = await findAccessToken(db, id);
  if (token !== null && canManageToken(caller, token)) return token;
  return fail(isAdministrator(caller) ? 'notFound' : 'notPermitted');
}

/** Returns the token that authenticated the request. */
async function getOwnToken(db: Reader, caller: SignedInCaller): Promise<AccessToken | Failure<'notPersonal'>> {
  const currentToken = getAccessToken(caller);
  const accessToken = currentToken && (await findAccessToken(db, currentToken.id));
  return accessToken ?? fail('notPersonal');
}

interface TokenListParams extends TokenFilter {
  /** Undefined if the parameter was not sent, null if it was sent without a value. */
  readonly user_id?: number | null | undefined;
}

/** Returns one page of the tokens that the caller may see; impersonation tokens are listed for administrators only. */
async function listVisibleTokens(
  db: Reader,
  caller: SignedInCaller,
  { user_id, ...filter }: TokenListParams,
  page: OffsetRequest,
): Promise<Page<AccessToken> | Failure<'userNotFound' | 'notPermitted'>> {
  const owner = await resolveOwner(db, caller, user_id);
  if (isFailure(owner)) return owner;
  return listTokens(db, { userId: owner, impersonation: isAdministrator(caller) }, filter, page);
}

/** Returns the id of the user whose tokens are listed, or null for all users. */
async function resolveOwner(
  db: Reader,
  caller: SignedInCaller,
  requestedId: number | null | undefined,
): Promise<number | null | Failure<'userNotFound' | 'notPermitted'>> {
  if (!isAdministrator(caller))
    return requestedId === undefined || requestedId === caller.user.id ? caller.user.id : fail('notPermitted');
  if (requestedId === undefined) return null;
  const user = requestedId === null ? null : await findUserById(db, requestedId);
  return user === null ? fail('userNotFound') : user.id;
}

import { today } from '../../../clock.ts';
import { administrator, signedIn } from '../../../http/access/access.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { commaArray, date, integer, oneOf, text } from '../../../http/parameters/types.ts';
import { SCOPES, type Scope } from '../../../identity/access-tokens.ts';
import { isRefused } from '../../../refused.ts';
import { issueToken } from './create.ts';
import { issuedToken, PersonalAccessToken, PersonalAccessTokenWithSecret, personalAccessTokens } from './entities.ts';
import { tokenFilters } from './parameters.ts';
import { listedOwner, ownToken, visibleToken } from './read.ts';
import { revoke, revokeOwn } from './revoke.ts';
import { rotate, rotateOwn, rotating } from './rotate.ts';
import { listTokens } from './store.ts';

const NOT_PERMITTED = [401, '401 Unauthorized'] as const;
const TOO_LATE = [400, '400 Bad request - Expires at must be before {latest}'] as const;
const ALREADY_REVOKED = [400, '400 Bad request - Token already revoked'] as const;
const NOT_PERSONAL = [
  400,
  '400 Bad request - This endpoint requires token type to be a personal access token',
] as const;
const cannotIssue = {
  userNotFound: [404, '404 User Not Found'],
  internalUser: [403, '403 Forbidden'],
  tooLate: [422, 'Expires at must be before {latest}'],
  noScopes: [422, "Scopes can't be blank"],
  noName: [422, "Name can't be blank"],
  longName: [422, 'Name is too long (maximum is 255 characters)'],
} as const;
const orderOf = (scopes: readonly Scope[]) => ({
  name: required(text),
  description: optional(text),
  scopes: required(commaArray(oneOf(...scopes))),
  expires_at: optional(date),
});

export const createUserToken = endpoint({
  post: '/users/:user_id/personal_access_tokens',
  summary: 'Create a personal access token for a user',
  access: administrator(),
  params: { user_id: required(integer), ...orderOf(SCOPES) },
  refuses: cannotIssue,
  records: ['personal_access_token_created'],
  answer: created(PersonalAccessTokenWithSecret),
  async handle({ params, caller, database, clock, base }) {
    const order = { ...params, userId: params.user_id, expiresAt: params.expires_at ?? null };
    const issued = await issueToken({ database, clock }, order, caller);
    return isRefused(issued) ? issued : issuedToken(issued, base);
  },
});

export const createOwnToken = endpoint({
  post: '/user/personal_access_tokens',
  summary: 'Create a personal access token of the caller, with scopes that reach nothing',
  access: signedIn(),
  params: orderOf(['k8s_proxy', 'self_rotate']),
  refuses: cannotIssue,
  records: ['personal_access_token_created'],
  answer: created(PersonalAccessTokenWithSecret),
  async handle({ params, caller, database, clock, base }) {
    const order = { ...params, userId: caller.user.id, expiresAt: params.expires_at ?? null };
    const issued = await issueToken({ database, clock }, order, caller);
    return isRefused(issued) ? issued : issuedToken(issued, base);
  },
});

export const listPersonalAccessTokens = endpoint({
  get: '/personal_access_tokens',
  summary: 'List personal access tokens',
  access: signedIn(),
  params: {
    user_id: optional(integer),
    ...tokenFilters,
  },
  refuses: { notPermitted: NOT_PERMITTED, userNotFound: [404, '404 Not Found'] },
  answer: page(PersonalAccessToken),
  async handle({ params, caller, db, page, clock, base, tokenUses }) {
    const userId = await listedOwner(db, params.user_id, caller);
    if (isRefused(userId)) return userId;
    await tokenUses.settled();
    const found = await listTokens(db, userId, { ...params, today: today(clock) }, page);
    return mapPage(found, (tokens) => personalAccessTokens(tokens, base));
  },
});

export const readOwnPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/self',
  summary: 'The token of the request',
  access: signedIn(),
  scopes: 'any',
  refuses: { notPersonal: NOT_PERSONAL },
  answer: entity(PersonalAccessToken),
  async handle({ caller, db, base, tokenUses }) {
    await tokenUses.settled();
    const token = await ownToken(db, caller);
    return isRefused(token) ? token : (personalAccessTokens([token], base)[0] as never);
  },
});

export const revokeOwnPersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/self',
  summary: 'Revoke the token of the request',
  access: signedIn(),
  scopes: 'any',
  refuses: { notPersonal: NOT_PERSONAL },
  records: ['personal_access_token_revoked'],
  answer: nothing,
  handle: ({ caller, database }) => revokeOwn(database, caller),
});

export const rotateOwnPersonalAccessToken = endpoint({
  post: '/personal_access_tokens/self/rotate',
  summary: 'Replace the token of the request',
  access: rotating(),
  scopes: ['self_rotate'],
  params: { expires_at: optional(date) },
  refuses: { already_revoked: ALREADY_REVOKED, tooLate: TOO_LATE, notPersonal: [405, '405 Method Not Allowed'] },
  records: ['personal_access_token_revoked', 'personal_access_token_created'],
  answer: entity(PersonalAccessTokenWithSecret),
  async handle({ params, caller, database, clock, base }) {
    const issued = await rotateOwn({ database, clock }, params.expires_at ?? null, caller);
    return isRefused(issued) ? issued : issuedToken(issued, base);
  },
});

export const readPersonalAccessToken = endpoint({
  get: '/personal_access_tokens/:id',
  summary: 'One personal access token',
  access: signedIn(),
  params: { id: required(integer) },
  refuses: { notPermitted: NOT_PERMITTED, notFound: [404, '404 Not Found'] },
  answer: entity(PersonalAccessToken),
  async handle({ params, caller, db, base, tokenUses }) {
    await tokenUses.settled();
    const token = await visibleToken(db, params.id, caller);
    return isRefused(token) ? token : (personalAccessTokens([token], base)[0] as never);
  },
});

export const revokePersonalAccessToken = endpoint({
  delete: '/personal_access_tokens/:id',
  summary: 'Revoke a personal access token',
  access: signedIn(),
  params: { id: required(integer) },
  refuses: { notFound: [404, '404 Not found'], notPermitted: [400, '400 Bad request - Not permitted to revoke'] },
  records: ['personal_access_token_revoked'],
  answer: nothing,
  handle: ({ params, caller, database }) => revoke(database, params.id, caller),
});

export const rotatePersonalAccessToken = endpoint({
  post: '/personal_access_tokens/:id/rotate',
  summary: 'Replace a personal access token',
  access: rotating(),
  params: { id: required(integer), expires_at: optional(date) },
  refuses: {
    notPermitted: NOT_PERMITTED,
    notFound: [404, '404 Not Found'],
    already_revoked: ALREADY_REVOKED,
    tooLate: TOO_LATE,
  },
  records: ['personal_access_token_revoked', 'personal_access_token_created'],
  answer: entity(PersonalAccessTokenWithSecret),
  async handle({ params, caller, database, clock, base }) {
    const issued = await rotate({ database, clock }, { id: params.id, expiresAt: params.expires_at ?? null }, caller);
    return isRefused(issued) ? issued : issuedToken(issued, base);
  },
});

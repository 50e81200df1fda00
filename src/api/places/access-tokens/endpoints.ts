import { MAINTAINER, ROLES } from '../../../access/roles.ts';
import { today } from '../../../clock.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { arrayOf, date, integer, integerIn, oneOf, text } from '../../../http/parameters/types.ts';
import { SCOPES } from '../../../identity/access-tokens.ts';
import { isRefused, refused } from '../../../refused.ts';
import { tokenFilters } from '../../identity/personal-access-tokens/index.ts';
import { issueBotToken } from './create.ts';
import { issuedToken, ResourceAccessToken, ResourceAccessTokenWithSecret, resourceAccessTokens } from './entities.ts';
import { groupKind, managing, projectKind, type ResourceKind, rotating, seeing } from './resource.ts';
import { revokeBotToken } from './revoke.ts';
import { rotateBotToken, rotateOwnBotToken } from './rotate.ts';
import { findBotToken, listBotTokens } from './store.ts';

// Projects and groups have the same endpoints (contract/conventions.md §10): each is declared once, for both kinds.

const NOT_FOR_BOTS: readonly string[] = ['read_user', 'sudo', 'admin_mode', 'read_service_ping'];
const BOT_SCOPES = SCOPES.filter((scope) => !NOT_FOR_BOTS.includes(scope));

const missing = ({ type }: ResourceKind) => [404, `404 ${type} Access Token Not Found`] as const;
const cannotRotate = {
  notPermitted: [401, '401 Unauthorized'],
  already_revoked: [400, '400 Bad request - Token already revoked'],
  tooLate: [400, '400 Bad request - Expires at must be before {latest}'],
} as const;
const cannotIssue = ({ type }: ResourceKind) =>
  ({
    gone: [404, type === 'project' ? '404 Project Not Found' : '404 Group Not Found'],
    notPermitted: [400, `400 Bad request - User does not have permission to create ${type} access token`],
    aboveCaller: [
      400,
      '400 Bad request - Access level of the token contains permissions not held by the creating user',
    ],
    noDate: [400, '400 Bad request - expires_at is missing'],
    tooLate: [422, 'Expires at must be before {latest}'],
    noScopes: [422, "Scopes can't be blank"],
    noName: [422, "Name can't be blank"],
    longName: [422, 'Name is too long (maximum is 255 characters)'],
  }) as const;

const listing = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    get: `${kind.path}/access_tokens` as const,
    summary: `List the tokens of a ${kind.type}`,
    access: managing(kind),
    params: tokenFilters,
    answer: page(ResourceAccessToken),
    async handle({ resource, params, page, db, clock, base, tokenUses }) {
      await tokenUses.settled();
      const found = await listBotTokens(db, resource, { ...params, today: today(clock) }, page);
      return mapPage(found, (tokens) => resourceAccessTokens(tokens, resource, base));
    },
  });

const creating = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    post: `${kind.path}/access_tokens` as const,
    summary: `Create a token that acts as a bot in a ${kind.type}`,
    access: seeing(kind),
    params: {
      name: required(text),
      description: optional(text),
      scopes: required(arrayOf(oneOf(...BOT_SCOPES))),
      expires_at: optional(date),
      access_level: optional(integerIn(ROLES), MAINTAINER),
    },
    refuses: cannotIssue(kind),
    records: [kind.records.created],
    answer: created(ResourceAccessTokenWithSecret),
    async handle({ resource, params, caller, database, config, base }) {
      const order = { ...params, expiresAt: params.expires_at ?? null, accessLevel: params.access_level };
      const issued = await issueBotToken(database, { caller, tier: config.tier }, resource, order);
      return isRefused(issued) ? issued : issuedToken(issued, resource, base);
    },
  });

const rotatingOwn = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    post: `${kind.path}/access_tokens/self/rotate` as const,
    summary: 'Replace the token of the request',
    access: rotating(seeing(kind)),
    scopes: ['self_rotate'],
    params: { expires_at: optional(date) },
    refuses: { ...cannotRotate, noAccessToken: [405, '405 Method Not Allowed'] },
    records: [kind.records.deleted, kind.records.created],
    answer: entity(ResourceAccessTokenWithSecret),
    async handle({ resource, params, caller, database, clock, config, base }) {
      const acting = { caller, tier: config.tier };
      const issued = await rotateOwnBotToken({ database, clock }, acting, resource, params.expires_at ?? null);
      return isRefused(issued) ? issued : issuedToken(issued, resource, base);
    },
  });

const reading = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    get: `${kind.path}/access_tokens/:token_id` as const,
    summary: `One token of a ${kind.type}`,
    access: managing(kind),
    params: { token_id: required(integer) },
    refuses: { missing: missing(kind) },
    answer: entity(ResourceAccessToken),
    async handle({ resource, params, db, base, tokenUses }) {
      await tokenUses.settled();
      const token = await findBotToken(db, resource, params.token_id);
      return token === null ? refused('missing') : (resourceAccessTokens([token], resource, base)[0] as never);
    },
  });

const revoking = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    delete: `${kind.path}/access_tokens/:token_id` as const,
    summary: `Revoke a token of a ${kind.type}`,
    access: seeing(kind),
    params: { token_id: required(integer) },
    refuses: { missing: missing(kind), notPermitted: [400, '400 Bad request - {caller} cannot delete {bot}'] },
    records: [kind.records.deleted],
    answer: nothing,
    handle: ({ resource, params, caller, database, config }) =>
      revokeBotToken(database, { caller, tier: config.tier }, resource, params.token_id),
  });

const rotatingAny = <Path extends string>(kind: ResourceKind<Path>) =>
  endpoint({
    post: `${kind.path}/access_tokens/:token_id/rotate` as const,
    summary: `Replace a token of a ${kind.type}`,
    access: rotating(managing(kind)),
    params: { token_id: required(integer), expires_at: optional(date) },
    refuses: {
      ...cannotRotate,
      notFound: [404, '404 Not Found'],
      aboveCaller: [400, '400 Bad request - Not eligible to rotate tokens with permissions not held by the user'],
    },
    records: [kind.records.deleted, kind.records.created],
    answer: entity(ResourceAccessTokenWithSecret),
    async handle({ resource, params, caller, database, clock, config, base }) {
      const acting = { caller, tier: config.tier };
      const order = { id: params.token_id, expiresAt: params.expires_at ?? null };
      const issued = await rotateBotToken({ database, clock }, acting, resource, order);
      return isRefused(issued) ? issued : issuedToken(issued, resource, base);
    },
  });

export const listProjectAccessTokens = listing(projectKind);
export const createProjectAccessToken = creating(projectKind);
export const rotateOwnProjectAccessToken = rotatingOwn(projectKind);
export const readProjectAccessToken = reading(projectKind);
export const revokeProjectAccessToken = revoking(projectKind);
export const rotateProjectAccessToken = rotatingAny(projectKind);

export const listGroupAccessTokens = listing(groupKind);
export const createGroupAccessToken = creating(groupKind);
export const rotateOwnGroupAccessToken = rotatingOwn(groupKind);
export const readGroupAccessToken = reading(groupKind);
export const revokeGroupAccessToken = revoking(groupKind);
export const rotateGroupAccessToken = rotatingAny(groupKind);

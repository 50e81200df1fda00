import {
  MISSING_SCOPE,
  NOT_PERMITTED,
  ROTATE_ERRORS,
  ROTATION_EXPIRY,
  tokenFilters,
} from '#api/identity/personal-access-tokens/index.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { MAINTAINER, ROLES } from '#domain/members/roles.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { PARENT_NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText } from '#http/parameters/texts.ts';
import { arrayOf, date, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { tokenManagerAccess, visibleParentAccess, withReuseDetection } from './access.ts';
import { TOKEN_CREATED, TOKEN_DELETED } from './activity.ts';
import { createBotToken, revokeBotToken, rotateBotToken, rotateOwnBotToken } from './changes.ts';
import { ResourceAccessToken, ResourceAccessTokenWithSecret } from './entities.ts';
import { findBotToken, listBotTokens } from './store.ts';

// Projects and groups have the same endpoints (contract/conventions.md §10).

/** Scopes that only make sense for a person, so that tokens of bots cannot have them. */
const USER_ONLY_SCOPES: readonly string[] = ['read_user', 'sudo', 'admin_mode', 'read_service_ping'];
const BOT_SCOPES = SCOPES.filter((scope) => !USER_ONLY_SCOPES.includes(scope));

const buildTokenNotFoundError = (type: string) => [404, `404 ${type} Access Token Not Found`] as const;

export const [listGroupAccessTokens, listProjectAccessTokens] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/access_tokens`,
    summary: `List access tokens of a ${parent.type}`,
    description:
      'Returns the tokens of all bots of the group or project, ordered by id unless `sort` says otherwise. The ' +
      'secrets are not shown. Callers without the permission to manage these tokens get 401.',
    access: tokenManagerAccess(parent),
    params: tokenFilters,
    response: page(ResourceAccessToken),
    async handle({ parent, params, page }, { database, tokenUsage }) {
      await tokenUsage.waitForFlush();
      return listBotTokens(database.reader, parent, params, page);
    },
  }),
);

export const [createGroupAccessToken, createProjectAccessToken] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/access_tokens`,
    summary: `Create an access token for a ${parent.type}`,
    description:
      'Creates a bot user with the role `access_level` in the group or project, and a token that acts as this bot. ' +
      'The response is the only one with the secret in `token`. The role must not be higher than that of the caller, ' +
      'and bots cannot create tokens. The token of the request must have all scopes of the new one.',
    access: visibleParentAccess(parent),
    params: {
      name: required(domainValidatedText(255)),
      description: optional(longText),
      scopes: required(arrayOf(oneOf(...BOT_SCOPES))),
      expires_at: describe(
        optional(date),
        'Day on which the token expires; null means the latest date that the instance allows. The key must be present.',
      ),
      access_level: describe(optional(integerIn(ROLES), MAINTAINER), 'Role of the bot in the group or project.'),
    },
    errors: {
      missingScope: MISSING_SCOPE,
      notFound: PARENT_NOT_FOUND[parent.name],
      notPermitted: [400, `400 Bad request - User does not have permission to create ${parent.type} access token`],
      exceedsCallerRole: [
        400,
        '400 Bad request - Access level of the token contains permissions not held by the creating user',
      ],
      expiryMissing: [400, '400 Bad request - expires_at is missing'],
      invalidToken: [400, '400 Bad request - {problems}'],
    },
    activity: [parent.select(TOKEN_CREATED)],
    response: created(ResourceAccessTokenWithSecret),
    write: (uow, { parent, params }) => createBotToken(uow, parent, params),
  }),
);

export const [rotateOwnGroupAccessToken, rotateOwnProjectAccessToken] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/access_tokens/self/rotate`,
    summary: 'Rotate the access token of the request',
    description:
      'Replaces the token of the request by a new one with the same name, role and scopes, and revokes the old one ' +
      'immediately. The response is the only one with the new secret. A request with a token that was revoked before ' +
      'gets 401 and revokes all tokens that descend from it by rotation.',
    access: withReuseDetection(visibleParentAccess(parent)),
    scopes: ['self_rotate'],
    params: { expires_at: describe(optional(date), ROTATION_EXPIRY) },
    errors: { notPermitted: NOT_PERMITTED, ...ROTATE_ERRORS, noAccessToken: [405, '405 Method Not Allowed'] },
    activity: [parent.select(TOKEN_DELETED), parent.select(TOKEN_CREATED)],
    response: ok(ResourceAccessTokenWithSecret),
    write: (uow, { parent, params }) => rotateOwnBotToken(uow, parent, params.expires_at ?? null),
  }),
);

export const [getGroupAccessToken, getProjectAccessToken] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/access_tokens/:token_id`,
    summary: `Get an access token of a ${parent.type}`,
    description:
      'Returns one token of a bot of the group or project, without its secret. Callers without the permission to ' +
      'manage these tokens get 401.',
    access: tokenManagerAccess(parent),
    params: { token_id: required(integer) },
    errors: { notFound: buildTokenNotFoundError(parent.type) },
    response: ok(ResourceAccessToken),
    async handle({ parent, params }, { database, tokenUsage }) {
      await tokenUsage.waitForFlush();
      return (await findBotToken(database.reader, parent, params.token_id)) ?? fail('notFound');
    },
  }),
);

export const [revokeGroupAccessToken, revokeProjectAccessToken] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/access_tokens/:token_id`,
    summary: `Revoke an access token of a ${parent.type}`,
    description:
      'Revokes the token immediately; its bot user stays. Revoking a revoked token again succeeds and changes nothing. ' +
      'Only callers who may manage the tokens of the group or project can revoke one.',
    access: visibleParentAccess(parent),
    params: { token_id: required(integer) },
    errors: {
      notFound: buildTokenNotFoundError(parent.type),
      notPermitted: [400, '400 Bad request - {caller} cannot delete {bot}'],
    },
    activity: [parent.select(TOKEN_DELETED)],
    response: noContent,
    write: (uow, { parent, params }) => revokeBotToken(uow, parent, params.token_id),
  }),
);

export const [rotateGroupAccessToken, rotateProjectAccessToken] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/access_tokens/:token_id/rotate`,
    summary: `Rotate an access token of a ${parent.type}`,
    description:
      'Replaces the token by a new one with the same name, role and scopes, and revokes the old one immediately. The ' +
      'response is the only one with the new secret. The role of the token must not be higher than that of the ' +
      'caller.',
    access: withReuseDetection(tokenManagerAccess(parent)),
    params: { token_id: required(integer), expires_at: describe(optional(date), ROTATION_EXPIRY) },
    unknownIdStatus: 401,
    errors: {
      notPermitted: NOT_PERMITTED,
      notFound: [404, '404 Not Found'],
      ...ROTATE_ERRORS,
      exceedsCallerRole: [400, '400 Bad request - Not eligible to rotate tokens with permissions not held by the user'],
    },
    activity: [parent.select(TOKEN_DELETED), parent.select(TOKEN_CREATED)],
    response: ok(ResourceAccessTokenWithSecret),
    write: (uow, { parent, params }) =>
      rotateBotToken(uow, parent, { id: params.token_id, expiresAt: params.expires_at ?? null }),
  }),
);

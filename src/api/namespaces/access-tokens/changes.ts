import { randomBytes } from 'node:crypto';
import {
  type CreateTokenInput,
  type RotateFailure,
  replaceToken,
  validateToken,
} from '#api/identity/personal-access-tokens/index.ts';
import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import {
  createToken,
  getDefaultExpiry,
  getLatestExpiry,
  revokeToken,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { createUser, type User } from '#authentication/users/users.ts';
import type { SourceType } from '#database/schema.ts';
import { createMembership, sourceExists } from '#domain/members/memberships.ts';
import { insertTokenBot, selectTokenBotIds } from '#domain/members/token-bots.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { deleteUserWithReferences } from '../user-deletion/index.ts';
import { mayCreateTokens, mayManageTokens } from './access.ts';
import { recordTokenCreated, recordTokenDeleted } from './activity.ts';
import type { BotTokenWithSecret } from './entities.ts';
import { findBotToken, type NamedBotToken } from './store.ts';

interface CreateBotTokenInput extends CreateTokenInput {
  readonly access_level: number;
}

type CreateFailure =
  | 'missingScope'
  | 'notFound'
  | 'notPermitted'
  | 'exceedsCallerRole'
  | 'expiryMissing'
  | 'invalidToken';

/** Creates a bot with this role in the project or group, and a token for the bot. */
export async function createBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  input: CreateBotTokenInput,
): Promise<BotTokenWithSecret | Failure<CreateFailure>> {
  const { name, description, scopes, expires_at, access_level } = input;
  if (!mayCreateTokens(uow.actor, parent) || uow.actor.user.bot) return fail('notPermitted');
  const scopeFailure = validateGrantedScopes(uow.actor, scopes);
  if (scopeFailure !== null) return scopeFailure;
  if (access_level > parent.role) return fail('exceedsCallerRole');
  // Callers must send the key, but its value may be null, which means the default expiry.
  if (expires_at === undefined) return fail('expiryMissing');
  if (!(await sourceExists(uow, parent))) return fail('notFound');
  const settings = await loadSettings(uow);
  const invalidInput = validateToken({ name, scopes, expiresAt: expires_at }, getLatestExpiry(uow.today, settings));
  if (invalidInput !== null) return invalidInput;
  const bot = await createBot(uow, parent, input);
  const expiresAt = expires_at ?? getDefaultExpiry(uow.today, settings);
  const prefix = settings.personal_access_token_prefix;
  const tokenInput = { userId: bot.id, name, description: description || null, scopes, expiresAt, prefix };
  const { tokenRow: token, secret } = await createToken(uow, tokenInput);
  await recordTokenCreated(uow, parent, { token, botName: bot.name, accessLevel: access_level });
  return { token: { ...token, access_level, source_type: parent.type, source_id: parent.id }, secret };
}

/**
 * Creates the bot user of a token, with a role only in the project or group and without a password. Nobody can create projects in
 * its personal namespace (`target-namespace.ts` of projects). The bot of an external user is external too.
 */
async function createBot(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { name, access_level: accessLevel }: Pick<CreateBotTokenInput, 'name' | 'access_level'>,
): Promise<User> {
  const username = `${parent.type}_${parent.id}_bot_${randomBytes(16).toString('hex')}`;
  const bot = await createUser(uow, {
    username,
    name,
    email: `${username}@bots.invalid`,
    passwordHash: null,
    confirmed: true,
    createdById: uow.actor.user.id,
    details: { bot: true, can_create_group: false, external: uow.actor.user.external },
  });
  if (isFailure(bot)) throw new Error(`Cannot create the bot user ${username}: ${bot.code}`);
  await createPersonalNamespace(uow, bot);
  const membershipInput = { userId: bot.id, accessLevel, createdById: uow.actor.user.id };
  // A new user is not the bot of another token, so the result is not null.
  const { user_id, source_type, source_id } = requireRow(await createMembership(uow, parent, membershipInput));
  await insertTokenBot(uow, { user_id, source_type, source_id });
  return bot;
}

/** Revokes a token of a project or group; its bot stays. Revoking it again changes nothing. */
export async function revokeBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  id: number,
): Promise<undefined | Failure<'notFound' | 'notPermitted'>> {
  const token = await findBotToken(uow, parent, id);
  if (token === null) return fail('notFound');
  const { bot_name: botName } = token;
  if (!mayManageTokens(uow.actor, parent)) return fail('notPermitted', { caller: uow.actor.user.name, bot: botName });
  if (await revokeToken(uow, id)) await recordTokenDeleted(uow, parent, { token, botName });
}

/** Replaces a token of a project or group by a new one and revokes the old one. */
export async function rotateBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { id, expiresAt }: { readonly id: number; readonly expiresAt: string | null },
): Promise<BotTokenWithSecret | Failure<RotateFailure | 'notPermitted' | 'notFound' | 'exceedsCallerRole'>> {
  const token = await findBotToken(uow, parent, id);
  if (token === null) return fail(isAdministrator(uow.actor) ? 'notFound' : 'notPermitted');
  if (token.access_level > parent.role) return fail('exceedsCallerRole');
  return replaceBotToken(uow, parent, token, expiresAt);
}

/** Rotates the token of the request, which must belong to this project or group. */
export async function rotateOwnBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  expiresAt: string | null,
): Promise<BotTokenWithSecret | Failure<RotateFailure | 'notPermitted' | 'noAccessToken'>> {
  const currentToken = getAccessToken(uow.actor);
  if (currentToken === null) return fail('noAccessToken');
  const token = await findBotToken(uow, parent, currentToken.id);
  return token === null ? fail('notPermitted') : replaceBotToken(uow, parent, token, expiresAt);
}

/** Replaces the token and records the audit events of both tokens. Callers check the permission. */
async function replaceBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { bot_name: botName, ...oldToken }: NamedBotToken,
  expiresAt: string | null,
): Promise<BotTokenWithSecret | Failure<RotateFailure>> {
  const issuedToken = await replaceToken(uow, { id: oldToken.id, expiresAt });
  if (isFailure(issuedToken)) return issuedToken;
  const { tokenRow: token, secret } = issuedToken;
  await recordTokenDeleted(uow, parent, { token: oldToken, botName });
  await recordTokenCreated(uow, parent, { token, botName, accessLevel: oldToken.access_level });
  return { token: { ...oldToken, ...token }, secret };
}

/** Deletes the bots of a destroyed project, with their tokens. */
export const deleteBotsOfProject = defineSubscription({
  event: 'project-destroyed',
  inTransaction: (uow, { projectId }) => deleteBots(uow, { type: 'project', id: projectId }),
}) satisfies AnySubscription<object>;

/** Deletes the bots of a destroyed group, with their tokens. */
export const deleteBotsOfGroup = defineSubscription({
  event: 'group-destroyed',
  inTransaction: (uow, { groupId }) => deleteBots(uow, { type: 'group', id: groupId }),
}) satisfies AnySubscription<object>;

async function deleteBots(uow: UnitOfWork, source: { readonly type: SourceType; readonly id: number }): Promise<void> {
  for (const { user_id: userId } of await selectTokenBotIds(uow, source).execute()) {
    await deleteUserWithReferences(uow, { userId, hard: false });
  }
}

import { randomBytes } from 'node:crypto';
import { type CreateTokenInput, validateToken } from '#api/identity/personal-access-tokens/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import {
  createToken,
  getDefaultExpiry,
  getLatestExpiry,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { createUser, type User } from '#authentication/users/users.ts';
import { createMembership, type Membership, sourceExists } from '#domain/members/memberships.ts';
import { insertTokenBot } from '#domain/members/token-bots.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { mayCreateTokens } from './access.ts';
import { recordTokenCreated } from './activity.ts';
import type { BotTokenWithSecret } from './entities.ts';

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
  // Null is allowed: it means the default expiry.
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
  await recordTokenCreated(uow, parent, { token, botName: bot.name, level: access_level });
  return { token: { ...token, access_level, source_type: parent.type, source_id: parent.id }, secret };
}

/**
 * Creates a user without a password and without roles elsewhere. Nothing can be created in its namespace
 * (`target-namespace.ts` of projects). The bot of an external user is external too.
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
  const { user_id, source_type, source_id } = (await createMembership(uow, parent, membershipInput)) as Membership;
  await insertTokenBot(uow, { user_id, source_type, source_id });
  return bot;
}

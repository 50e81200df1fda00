import { randomBytes } from 'node:crypto';
import { checkOrder, type TokenOrder } from '#api/identity/personal-access-tokens/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { createToken, defaultExpiry, latestExpiry } from '#authentication/tokens/access-tokens.ts';
import { createUser, type User } from '#authentication/users/users.ts';
import { addMembership, type Membership, stands } from '#domain/members/memberships.ts';
import { insertTokenBot } from '#domain/members/token-bots.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { makesTokens } from './access.ts';
import { recordCreated } from './activity.ts';
import type { IssuedBotToken } from './entities.ts';

interface BotTokenOrder extends TokenOrder {
  readonly access_level: number;
}

type CreateFailure = 'gone' | 'notPermitted' | 'aboveCaller' | 'noDate' | 'wrongOrder';

/** Makes a bot with this role in the project or group, and a token with which one acts as it. */
export async function issueBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  order: BotTokenOrder,
): Promise<IssuedBotToken | Failure<CreateFailure>> {
  const { name, description, scopes, expires_at, access_level } = order;
  if (!makesTokens(uow.actor, parent) || uow.actor.user.bot) return fail('notPermitted');
  if (access_level > parent.role) return fail('aboveCaller');
  // null is a date too: whatever is the rule.
  if (expires_at === undefined) return fail('noDate');
  if (!(await stands(uow, parent))) return fail('gone');
  const settings = await readSettings(uow);
  const wrong = checkOrder({ name, scopes, expiresAt: expires_at }, latestExpiry(uow.today, settings));
  if (wrong !== null) return wrong;
  const bot = await createBot(uow, parent, order);
  const expiresAt = expires_at ?? defaultExpiry(uow.today, settings);
  const prefix = settings.personal_access_token_prefix;
  const wish = { userId: bot.id, name, description: description || null, scopes, expiresAt, prefix };
  const { token, secret } = await createToken(uow, wish);
  await recordCreated(uow, parent, { token, botName: bot.name, level: access_level });
  return { token: { ...token, access_level, source_type: parent.type, source_id: parent.id }, secret };
}

/** A user without password or rights anywhere else, in whose namespace nothing is made (`target.ts` of projects). Whoever is kept out as external has no other bots. */
async function createBot(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { name, access_level: accessLevel }: Pick<BotTokenOrder, 'name' | 'access_level'>,
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
  if (isFailure(bot)) throw new Error(`The bot ${username} was refused: ${bot.code}`);
  await createPersonalNamespace(uow, bot);
  const wish = { userId: bot.id, accessLevel, createdById: uow.actor.user.id };
  const { user_id, source_type, source_id } = (await addMembership(uow, parent, wish)) as Membership;
  await insertTokenBot(uow, { user_id, source_type, source_id });
  return bot;
}

import { randomBytes } from 'node:crypto';
import { addMembership, type Membership, stands } from '../../../access/memberships.ts';
import { insertTokenBot } from '../../../access/token-bots.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { createToken, latestExpiry, type Scope } from '../../../identity/access-tokens.ts';
import { createUser, type User } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { checkOrder, type OrderRefusal } from '../../identity/personal-access-tokens/index.ts';
import type { IssuedBotToken } from './entities.ts';
import { type Acting, recordBotToken } from './record.ts';
import type { Resource } from './resource.ts';

export interface BotTokenOrder {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly Scope[];
  /** null: not given. */
  readonly expiresAt: string | null;
  readonly accessLevel: number;
}

type CreateRefusal = 'gone' | 'notPermitted' | 'aboveCaller' | 'noDate' | OrderRefusal;

/** Makes a bot with this role in the project or group, and a token with which one acts as it. */
export async function issueBotToken(
  database: Database,
  acting: Acting,
  resource: Resource,
  order: BotTokenOrder,
): Promise<IssuedBotToken | Refused<CreateRefusal>> {
  const { name, description, scopes, expiresAt, accessLevel } = order;
  if (!resource.managed || acting.caller.user.bot) return refused('notPermitted');
  if (accessLevel > resource.callerRole) return refused('aboveCaller');
  if (expiresAt === null) return refused('noDate');
  return database.transaction(async (tx) => {
    if (!(await stands(tx, resource))) return refused('gone');
    const settings = await readSettings(tx);
    const wrong = checkOrder(order, latestExpiry(tx.now.slice(0, 10), settings));
    if (wrong !== null) return wrong;
    const bot = await createBot(tx, acting, resource, { name, accessLevel });
    const prefix = settings.personal_access_token_prefix;
    const issued = await createToken(tx, {
      userId: bot.id,
      name,
      description: description || null,
      scopes,
      expiresAt,
      prefix,
    });
    await recordBotToken(tx, acting, resource, { event: 'created', token: issued.token, botName: bot.name });
    return { ...issued, token: { ...issued.token, access_level: accessLevel } };
  });
}

/** A user without password, namespace or rights anywhere else. Whoever is kept out as external has no other bots. */
async function createBot(
  tx: Transaction,
  { caller }: Acting,
  resource: Resource,
  { name, accessLevel }: Pick<BotTokenOrder, 'name' | 'accessLevel'>,
): Promise<User> {
  const username = `${resource.type}_${resource.id}_bot_${randomBytes(16).toString('hex')}`;
  const bot = await createUser(tx, {
    username,
    name,
    email: `${username}@bots.invalid`,
    passwordHash: null,
    confirmed: true,
    createdById: caller.user.id,
    details: { bot: true, can_create_group: false, external: caller.user.external },
  });
  if (isRefused(bot)) throw new Error(`The bot ${username} was refused: ${bot.code}`);
  const wish = { userId: bot.id, accessLevel, createdById: caller.user.id };
  const { user_id, source_type, source_id } = (await addMembership(tx, resource, wish)) as Membership;
  await insertTokenBot(tx, { user_id, source_type, source_id });
  return bot;
}

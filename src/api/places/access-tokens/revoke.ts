import type { Database } from '../../../database/database.ts';
import { revokeToken } from '../../../identity/access-tokens.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type Acting, recordBotToken } from './record.ts';
import type { Resource } from './resource.ts';
import { findBotToken } from './store.ts';

/** Ends a token of a project or group; its bot stays. Ending it again changes nothing. */
export async function revokeBotToken(
  database: Database,
  acting: Acting,
  resource: Resource,
  id: number,
): Promise<undefined | Refused<'missing' | 'notPermitted'>> {
  return database.transaction(async (tx) => {
    const token = await findBotToken(tx, resource, id);
    if (token === null) return refused('missing');
    if (!resource.managed) return refused('notPermitted', { caller: acting.caller.user.name, bot: token.bot_name });
    if (!(await revokeToken(tx, id))) return undefined;
    await recordBotToken(tx, acting, resource, { event: 'deleted', token, botName: token.bot_name });
    return undefined;
  });
}

import type { SignedInCaller } from '#authentication/caller.ts';
import { revokeToken } from '#authentication/tokens/access-tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mayManageTokens } from './access.ts';
import { recordTokenDeleted } from './activity.ts';
import { findBotToken } from './store.ts';

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

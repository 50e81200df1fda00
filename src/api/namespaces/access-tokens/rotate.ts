import { type RotateFailure, replaceToken } from '#api/identity/personal-access-tokens/index.ts';
import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { recordTokenCreated, recordTokenDeleted } from './activity.ts';
import type { BotTokenWithSecret } from './entities.ts';
import { findBotToken, type NamedBotToken } from './store.ts';

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
  await recordTokenCreated(uow, parent, { token, botName, level: oldToken.access_level });
  return { token: { ...oldToken, ...token }, secret };
}

import { type RotateFailure, replaceToken } from '#api/identity/personal-access-tokens/index.ts';
import { accessTokenOf, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { recordCreated, recordDeleted } from './activity.ts';
import type { IssuedBotToken } from './entities.ts';
import { findBotToken, type NamedBotToken } from './store.ts';

/** Replaces a token of a project or group by one with another secret; the old one ends. */
export async function rotateBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { id, expiresAt }: { readonly id: number; readonly expiresAt: string | null },
): Promise<IssuedBotToken | Failure<RotateFailure | 'notPermitted' | 'notFound' | 'aboveCaller'>> {
  const token = await findBotToken(uow, parent, id);
  if (token === null) return fail(isAdministrator(uow.actor) ? 'notFound' : 'notPermitted');
  if (token.access_level > parent.role) return fail('aboveCaller');
  return replace(uow, parent, token, expiresAt);
}

/** The same with the token that the request came with, which is one of this very project or group. */
export async function rotateOwnBotToken(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  expiresAt: string | null,
): Promise<IssuedBotToken | Failure<RotateFailure | 'notPermitted' | 'noAccessToken'>> {
  const used = accessTokenOf(uow.actor);
  if (used === null) return fail('noAccessToken');
  const token = await findBotToken(uow, parent, used.id);
  return token === null ? fail('notPermitted') : replace(uow, parent, token, expiresAt);
}

async function replace(
  uow: UnitOfWork,
  parent: Parent,
  { bot_name: botName, ...old }: NamedBotToken,
  expiresAt: string | null,
): Promise<IssuedBotToken | Failure<RotateFailure>> {
  const issued = await replaceToken(uow, { id: old.id, expiresAt });
  if (isFailure(issued)) return issued;
  const { token, secret } = issued;
  await recordDeleted(uow, parent, { token: old, botName });
  await recordCreated(uow, parent, { token, botName, level: old.access_level });
  return { token: { ...old, ...token }, secret };
}

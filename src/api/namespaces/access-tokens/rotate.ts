import { type RotateRefusal, replaceToken } from '#api/identity/personal-access-tokens/index.ts';
import { accessTokenOf, isAdministrator, type SignedIn } from '#authentication/caller.ts';
import type { Act } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, isFailure, refused } from '#runtime/failure.ts';
import { recordCreated, recordDeleted } from './activity.ts';
import type { IssuedBotToken } from './entities.ts';
import { findBotToken, type NamedBotToken } from './store.ts';

/** Replaces a token of a project or group by one with another secret; the old one ends. */
export async function rotateBotToken(
  act: Act<SignedIn>,
  parent: Parent,
  { id, expiresAt }: { readonly id: number; readonly expiresAt: string | null },
): Promise<IssuedBotToken | Failure<RotateRefusal | 'notPermitted' | 'notFound' | 'aboveCaller'>> {
  const token = await findBotToken(act, parent, id);
  if (token === null) return refused(isAdministrator(act.by) ? 'notFound' : 'notPermitted');
  if (token.access_level > parent.role) return refused('aboveCaller');
  return replace(act, parent, token, expiresAt);
}

/** The same with the token that the request came with, which is one of this very project or group. */
export async function rotateOwnBotToken(
  act: Act<SignedIn>,
  parent: Parent,
  expiresAt: string | null,
): Promise<IssuedBotToken | Failure<RotateRefusal | 'notPermitted' | 'noAccessToken'>> {
  const used = accessTokenOf(act.by);
  if (used === null) return refused('noAccessToken');
  const token = await findBotToken(act, parent, used.id);
  return token === null ? refused('notPermitted') : replace(act, parent, token, expiresAt);
}

async function replace(
  act: Act,
  parent: Parent,
  { bot_name: botName, ...old }: NamedBotToken,
  expiresAt: string | null,
): Promise<IssuedBotToken | Failure<RotateRefusal>> {
  const issued = await replaceToken(act, { id: old.id, expiresAt });
  if (isFailure(issued)) return issued;
  const { token, secret } = issued;
  await recordDeleted(act, parent, { token: old, botName });
  await recordCreated(act, parent, { token, botName, level: old.access_level });
  return { token: { ...old, ...token }, secret };
}

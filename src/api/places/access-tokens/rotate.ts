import type { Clock } from '../../../clock.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { accessTokenOf, isAdministrator } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { type RotateRefusal, replaceToken } from '../../identity/personal-access-tokens/index.ts';
import type { IssuedBotToken } from './entities.ts';
import { type Acting, recordBotToken } from './record.ts';
import type { Resource } from './resource.ts';
import { findBotToken } from './store.ts';

interface RotateRooms {
  readonly database: Database;
  readonly clock: Clock;
}

/** Replaces a token of a project or group by one with another secret; the old one ends. */
export async function rotateBotToken(
  { database, clock }: RotateRooms,
  acting: Acting,
  resource: Resource,
  { id, expiresAt }: { readonly id: number; readonly expiresAt: string | null },
): Promise<IssuedBotToken | Refused<RotateRefusal | 'notPermitted' | 'notFound' | 'aboveCaller'>> {
  return database.transaction(async (tx) => {
    const token = await findBotToken(tx, resource, id);
    if (token === null) return refused(isAdministrator(acting.caller) ? 'notFound' : 'notPermitted');
    if (token.access_level > resource.callerRole) return refused('aboveCaller');
    return replace(tx, clock, { acting, resource, token, expiresAt });
  });
}

/** The same with the token that the request came with, which is one of this very project or group. */
export async function rotateOwnBotToken(
  { database, clock }: RotateRooms,
  acting: Acting,
  resource: Resource,
  expiresAt: string | null,
): Promise<IssuedBotToken | Refused<RotateRefusal | 'notPermitted' | 'noAccessToken'>> {
  const used = accessTokenOf(acting.caller);
  if (used === null) return refused('noAccessToken');
  return database.transaction(async (tx) => {
    const token = await findBotToken(tx, resource, used.id);
    if (token === null) return refused('notPermitted');
    return replace(tx, clock, { acting, resource, token, expiresAt });
  });
}

interface Replacing {
  readonly acting: Acting;
  readonly resource: Resource;
  readonly token: NonNullable<Awaited<ReturnType<typeof findBotToken>>>;
  readonly expiresAt: string | null;
}

async function replace(
  tx: Transaction,
  clock: Clock,
  { acting, resource, token, expiresAt }: Replacing,
): Promise<IssuedBotToken | Refused<RotateRefusal>> {
  const issued = await replaceToken(tx, clock, { id: token.id, expiresAt });
  if (isRefused(issued)) return issued;
  const { bot_name: botName, access_level } = token;
  await recordBotToken(tx, acting, resource, { event: 'deleted', token, botName });
  await recordBotToken(tx, acting, resource, { event: 'created', token: issued.token, botName });
  return { ...issued, token: { ...issued.token, access_level } };
}

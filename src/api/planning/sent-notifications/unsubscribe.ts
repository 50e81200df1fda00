import { findUserById } from '#authentication/users/users.ts';
import type { UnsubscribableTarget } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { UnsubscribeClaim } from '#mail/unsubscribe-link.ts';
import { setSubscribed, TABLES_BY_TYPE } from '../issuables/index.ts';
import { listDigestTargets } from '../mail-messages/index.ts';
import { updateSetting } from '../notification-settings/index.ts';

/** Unsubscribes the user from the target. Does nothing if either is deleted. */
export async function unsubscribe(
  uow: UnitOfWork,
  { target: targetType, id, userId }: UnsubscribeClaim,
): Promise<void> {
  if ((await findUserById(uow, userId)) === null) return;
  const targets = targetType === 'Digest' ? await listDigestTargets(uow, id, userId) : [{ type: targetType, id }];
  for (const target of targets) await unsubscribeFrom(uow, target, userId);
}

interface Target {
  readonly type: UnsubscribableTarget;
  readonly id: number;
}

/** Unsubscribes from one target. index: issues primary key, merge_requests primary key, epics primary key, projects primary key */
async function unsubscribeFrom(uow: UnitOfWork, { type, id }: Target, userId: number): Promise<void> {
  const table = type === 'Project' ? 'projects' : TABLES_BY_TYPE[type].table;
  const row = await uow.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  if (type === 'Project') await updateSetting(uow, userId, { type: 'project', id }, { level: 'disabled' });
  else await setSubscribed(uow, TABLES_BY_TYPE[type], { id, userId, subscribed: false });
}

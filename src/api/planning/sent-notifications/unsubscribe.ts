import { readUser } from '#authentication/users/users.ts';
import { findPipelines } from '#authorization/pipelines.ts';
import type { MailTarget } from '#database/tables/mail.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Leaving } from '#mail/unsubscribe-link.ts';
import { KINDS, saySubscribed } from '../issuables/index.ts';
import { findToldAlert, targetsOfDigest } from '../mail-messages/index.ts';
import { changeSetting } from '../notification-settings/index.ts';

/** From now on this user hears no more of it, if both are still there. */
export async function leave(uow: UnitOfWork, { what, id, userId }: Leaving): Promise<void> {
  if ((await readUser(uow, userId)) === null) return;
  const targets = what === 'Digest' ? await targetsOfDigest(uow, id, userId) : [{ type: what, id }];
  for (const target of targets) await leaveTarget(uow, target, userId);
}

interface Target {
  readonly type: MailTarget;
  readonly id: number;
}

/** Of a pipeline or an alert: its project. index: issues primary key, merge_requests primary key, epics primary key, projects primary key */
async function leaveTarget(uow: UnitOfWork, { type, id }: Target, userId: number): Promise<void> {
  if (type === 'Pipeline') {
    const [pipeline] = await findPipelines(uow, [id]);
    if (pipeline !== undefined) await leaveTarget(uow, { type: 'Project', id: pipeline.project_id }, userId);
    return;
  }
  if (type === 'Alert') {
    const alert = await findToldAlert(uow, id);
    if (alert !== null) await leaveTarget(uow, { type: 'Project', id: alert.project_id }, userId);
    return;
  }
  const table = type === 'Project' ? 'projects' : KINDS[type].things;
  const row = await uow.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  if (type === 'Project') await changeSetting(uow, userId, { type: 'project', id }, { level: 'disabled' });
  else await saySubscribed(uow, KINDS[type], { id, userId, subscribed: false });
}

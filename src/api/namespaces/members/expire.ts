import { ANONYMOUS } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { endMembership, findMembership, listExpiredMemberships, type Membership } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { recordMemberExpired } from './activity.ts';

const BATCH_SIZE = 100;

/** Removes expired memberships, which already grant no access. Records the events and deletes related rows. */
export const expireMembers = defineJob({
  kind: 'expire-members',
  async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>) {
    for (;;) {
      const expiredMemberships = await listExpiredMemberships(database.reader, BATCH_SIZE);
      for (const membership of expiredMemberships) await runUnitOfWork(ANONYMOUS, (uow) => expire(uow, membership));
      if (expiredMemberships.length < BATCH_SIZE) return;
    }
  },
});

export const expireMembersDaily: Schedule<Services> = { name: 'expire-members', cron: '5 0 * * *', job: expireMembers };

async function expire(uow: UnitOfWork, { source_type, source_id, user_id }: Membership): Promise<void> {
  const membership = await findMembership(uow, { type: source_type, id: source_id }, user_id);
  // The expiry date may have changed since the job listed the membership.
  if (membership?.expires_at == null || membership.expires_at > uow.today) return;
  const user_name = (await findUserById(uow, user_id))?.name ?? '';
  await recordMemberExpired(uow, { membership, full_path: await findFullPath(uow, membership), user_name });
  await endMembership(uow, membership);
}

/** index: routes_by_namespace, routes_by_project */
async function findFullPath(db: Reader, { source_type, source_id }: Membership): Promise<string> {
  const column = source_type === 'group' ? 'namespace_id' : 'project_id';
  const route = await db.selectFrom('routes').select('full_path').where(column, '=', source_id).executeTakeFirst();
  return route?.full_path ?? '';
}

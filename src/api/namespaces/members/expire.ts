import { ANONYMOUS } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { endMembership, expiredMemberships, findMembership, type Membership } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { recordExpired } from './activity.ts';

/** So many are read at once. */
const BATCH = 100;

/** Removes memberships whose last day has come. They gave nothing any more: this is for the history and for the lists of families. */
export const expireMembers = defineJob({
  kind: 'expire-members',
  async handle({ database, runUnitOfWork }: Services) {
    for (;;) {
      const due = await expiredMemberships(database.reader, BATCH);
      for (const membership of due) await runUnitOfWork(ANONYMOUS, (uow) => expire(uow, membership));
      if (due.length < BATCH) return;
    }
  },
});

export const expireMembersDaily: Schedule<Services> = { name: 'expire-members', cron: '5 0 * * *', job: expireMembers };

async function expire(uow: UnitOfWork, { source_type, source_id, user_id }: Membership): Promise<void> {
  const membership = await findMembership(uow, { type: source_type, id: source_id }, user_id);
  // It may have got another last day meanwhile.
  if (membership?.expires_at == null || membership.expires_at > uow.today) return;
  const user_name = (await readUser(uow, user_id))?.name ?? '';
  await recordExpired(uow, { membership, full_path: await pathOf(uow, membership), user_name });
  await endMembership(uow, membership);
}

/** index: routes_by_namespace, routes_by_project */
async function pathOf(db: Reader, { source_type, source_id }: Membership): Promise<string> {
  const column = source_type === 'group' ? 'namespace_id' : 'project_id';
  const route = await db.selectFrom('routes').select('full_path').where(column, '=', source_id).executeTakeFirst();
  return route?.full_path ?? '';
}

import { endMembership, expiredMemberships, findMembership, type Membership } from '../../../access/memberships.ts';
import { defineJob, type Job } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { type Clock, today } from '../../../clock.ts';
import type { Config } from '../../../config.ts';
import type { Database, Reader } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/facts.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { recordExpired } from './history.ts';

interface Rooms {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'tier'>;
  readonly facts: FactBus;
}

/** So many are read at once. */
const batch = 100;

/** Removes memberships whose last day has come. They gave nothing any more: this is for the history and for the lists of families. */
export const expireMembers: Job<Rooms, Record<string, never>> = defineJob({
  kind: 'expire-members',
  async handle(rooms) {
    for (;;) {
      const due = await expiredMemberships(rooms.database.reader, today(rooms.clock), batch);
      for (const membership of due) await expire(rooms, membership);
      if (due.length < batch) return;
    }
  },
});

export const expireMembersDaily: Schedule<Rooms> = { name: 'expire-members', cron: '5 0 * * *', job: expireMembers };

async function expire(
  { database, config, facts }: Rooms,
  { source_type, source_id, user_id }: Membership,
): Promise<void> {
  await database.transaction(async (tx) => {
    const membership = await findMembership(tx, { type: source_type, id: source_id }, user_id);
    // It may have got another last day meanwhile.
    if (membership?.expires_at == null || membership.expires_at > tx.now.slice(0, 10)) return;
    const acting = { caller: NOBODY, tier: config.tier, facts };
    const user_name = (await readUser(tx, user_id))?.name ?? '';
    await recordExpired(tx, acting, { membership, full_path: await pathOf(tx, membership), user_name });
    await endMembership(tx, facts, membership);
  });
}

/** index: routes_by_namespace, routes_by_project */
async function pathOf(db: Reader, { source_type, source_id }: Membership): Promise<string> {
  const column = source_type === 'group' ? 'namespace_id' : 'project_id';
  const route = await db.selectFrom('routes').select('full_path').where(column, '=', source_id).executeTakeFirst();
  return route?.full_path ?? '';
}

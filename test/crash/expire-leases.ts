import { openDatabase } from '#database/database.ts';
import { releaseAbandonedLeases as forgetLeasesOfJobs } from '#jobs/store.ts';
import { systemClock } from '#runtime/clock.ts';

/**
 * Beside other servers what a killed one was doing is done again when its leases have run out, a minute later; nobody else is at
 * work now, so that it may be at once.
 */
export async function forgetLeases(databaseUrl: string): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, dataDir: '', clock: systemClock });
  await database.transaction(async (tx) => {
    await tx.updateTable('ref_intents').set({ lease_until: '2000-01-01T00:00:00.000Z' }).execute();
    await forgetLeasesOfJobs(tx);
  });
  await database.close();
}

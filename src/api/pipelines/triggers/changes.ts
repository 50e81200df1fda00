import type { SignedInCaller } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, deleteInBatches, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addDays, addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { type Failure, type FieldErrors, fail } from '#runtime/failure.ts';
import { type generateEncryptedToken, hasAtLeastTriggers, insertTrigger, type TriggerRow } from './store.ts';

const MAX_TRIGGERS_PER_PROJECT = 25_000;
const MAX_LIFETIME_DAYS = 365;

/** The lock key that serializes creation, so that concurrent requests cannot exceed the limit. */
export const triggersLockKey = ({ id }: Project) => `triggers of project ${id}`;

interface CreateTriggerInput {
  readonly description: string;
  readonly expires_at?: string | null | undefined;
}

/** Creates a trigger token. Pipelines that it starts run as its creator. Fails if the project has too many. */
export async function createTrigger(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { description, expires_at = null }: CreateTriggerInput,
  encryptedToken: ReturnType<typeof generateEncryptedToken>,
): Promise<TriggerRow | Failure<'invalid'>> {
  const expiryLimit = addDays(uow.today, MAX_LIFETIME_DAYS);
  if (expires_at !== null && expires_at >= expiryLimit)
    return invalidTrigger({ expires_at: [`must be before ${expiryLimit}`] });
  if (await hasAtLeastTriggers(uow, project.id, MAX_TRIGGERS_PER_PROJECT)) {
    return invalidTrigger({ base: [`Maximum number of pipeline triggers (${MAX_TRIGGERS_PER_PROJECT}) exceeded`] });
  }
  return insertTrigger(uow, {
    project_id: project.id,
    owner_id: uow.actor.user.id,
    description,
    expires_at,
    ...encryptedToken,
  });
}

/** Returns a failure with the validation errors as JSON text. */
const invalidTrigger = (errors: FieldErrors) => fail('invalid', { errors: JSON.stringify(errors) });

const NAME = 'clean_up_pipeline_triggers';
const BATCH_SIZE = 1_000;
/** Days for which expired triggers stay in lists. */
const RETENTION_DAYS = 30;

/** Deletes triggers that expired at least thirty days ago (contract/runners.md "Background work"). */
export const cleanUpTriggers: JobDefinition<Services, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => deleteInBatches(database, BATCH_SIZE, deleteExpiredTriggers),
});

export const cleanUpTriggersDaily: Schedule<Services> = { name: NAME, cron: '20 4 * * *', job: cleanUpTriggers };

/** Deletes one batch of expired triggers and returns how many. index: pipeline_triggers_by_end */
async function deleteExpiredTriggers(tx: Transaction, limit: number): Promise<number> {
  const expiredTriggers = tx
    .selectFrom('pipeline_triggers')
    .select('id')
    .where('expires_at', '<=', addMilliseconds(tx.now, -RETENTION_DAYS * DAY_MS))
    .orderBy('expires_at')
    .limit(limit);
  return (await tx.deleteFrom('pipeline_triggers').where('id', 'in', expiredTriggers).returning('id').execute()).length;
}

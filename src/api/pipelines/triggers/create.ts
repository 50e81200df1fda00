import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { daysAfter } from '#runtime/clock.ts';
import { type Failure, type FieldErrors, fail } from '#runtime/failure.ts';
import { hasTriggers, insertTrigger, type TriggerRow } from './store.ts';
import type { newSealedToken } from './tokens.ts';

const MOST_IN_PROJECT = 25_000;
const LONGEST_DAYS = 365;

/** Those who make the last few at once must not all be let through. */
export const turnOf = ({ id }: Project) => `triggers of project ${id}`;

interface Wish {
  readonly description: string;
  readonly expires_at?: string | null | undefined;
}

/** Gives the project one more token that starts pipelines in the name of whoever makes it. */
export async function createTrigger(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { description, expires_at = null }: Wish,
  sealed: ReturnType<typeof newSealedToken>,
): Promise<TriggerRow | Failure<'wrong'>> {
  const before = daysAfter(uow.today, LONGEST_DAYS);
  if (expires_at !== null && expires_at >= before) return wrong({ expires_at: [`must be before ${before}`] });
  if (await hasTriggers(uow, project.id, MOST_IN_PROJECT)) {
    return wrong({ base: [`Maximum number of pipeline triggers (${MOST_IN_PROJECT}) exceeded`] });
  }
  return insertTrigger(uow, {
    project_id: project.id,
    owner_id: uow.actor.user.id,
    description,
    expires_at,
    ...sealed,
  });
}

/** What is wrong with it is told as JSON in a text. */
const wrong = (errors: FieldErrors) => fail('wrong', { errors: JSON.stringify(errors) });

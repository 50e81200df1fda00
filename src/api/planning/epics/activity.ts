import { confidentialityChanged, DESCRIPTION_CHANGED, titleChanged } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Epic } from '#authorization/epics.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** What is written of changes of epics: the history of its state, and notes of all else. No feed tells of epics. */

/** As a resource that has histories of its own. */
export const resourceOf = ({ id }: Pick<Epic, 'id'>) => ({ type: 'Epic', id }) as const;

/** All that differs between two moments. */
export async function recordChange(uow: UnitOfWork<SignedInCaller>, before: Epic, after: Epic): Promise<void> {
  const texts = [
    ...(before.title === after.title ? [] : [titleChanged(before.title, after.title)]),
    ...(before.description === after.description ? [] : [DESCRIPTION_CHANGED]),
    ...(before.confidential === after.confidential ? [] : [confidentialityChanged('epic', after.confidential)]),
  ];
  const epic = resourceOf(after);
  for (const text of texts) await uow.record({ noteOn: epic, text });
  if (before.state !== after.state) await uow.record({ stateOf: epic, state: after.state });
}

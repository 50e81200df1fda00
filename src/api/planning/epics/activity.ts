import { confidentialityChangedText, DESCRIPTION_CHANGED_TEXT, titleChangedText } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Epic } from '#authorization/epics.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Records changes of epics: state events, and system notes for everything else. Epics have no activity events. */

/** Returns the epic as the resource of its events. */
export const toResource = ({ id }: Pick<Epic, 'id'>) => ({ type: 'Epic', id }) as const;

/** Records the differences between the epic before and after an update. */
export async function recordEpicChanges(uow: UnitOfWork<SignedInCaller>, before: Epic, after: Epic): Promise<void> {
  const texts = [
    ...(before.title === after.title ? [] : [titleChangedText(before.title, after.title)]),
    ...(before.description === after.description ? [] : [DESCRIPTION_CHANGED_TEXT]),
    ...(before.confidential === after.confidential ? [] : [confidentialityChangedText('epic', after.confidential)]),
  ];
  const epic = toResource(after);
  for (const text of texts) await uow.record({ noteOn: epic, text });
  if (before.state !== after.state) await uow.record({ stateOf: epic, state: after.state });
}

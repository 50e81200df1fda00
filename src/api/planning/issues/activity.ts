import { confidentialityChanged, dueDateChanged, type SystemText } from '#activity/index.ts';
import type { Issue } from '#authorization/issues.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** As a resource that has histories of its own. */
export const resourceOf = ({ id }: Pick<Issue, 'id'>) => ({ type: 'Issue', id }) as const;

/** What notes say of changes that only issues know. */
export function ownTextsOf(before: Issue, after: Issue): SystemText[] {
  const texts: SystemText[] = [];
  if (before.confidential !== after.confidential) texts.push(confidentialityChanged('issue', after.confidential));
  if (before.due_date !== after.due_date) texts.push(dueDateChanged(after.due_date));
  return texts;
}

/** It has been given another weight than it had before, or a first one. */
export async function recordWeight(
  uow: UnitOfWork,
  before: number | null,
  { id, weight }: Pick<Issue, 'id' | 'weight'>,
): Promise<void> {
  if (weight !== before) await uow.record({ weightOf: id, weight });
}

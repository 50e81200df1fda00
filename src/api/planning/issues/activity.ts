import { confidentialityChangedText, dueDateChangedText, type SystemNoteText } from '#activity/index.ts';
import type { Issue } from '#authorization/issues.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Returns the issue as the resource of its events. */
export const toResource = ({ id }: Pick<Issue, 'id'>) => ({ type: 'Issue', id }) as const;

/** Returns the system note texts for changed columns that only issues have. */
export function listIssueNoteTexts(before: Issue, after: Issue): SystemNoteText[] {
  const texts: SystemNoteText[] = [];
  if (before.confidential !== after.confidential) texts.push(confidentialityChangedText('issue', after.confidential));
  if (before.due_date !== after.due_date) texts.push(dueDateChangedText(after.due_date));
  return texts;
}

/** Records a weight event if the weight changed. */
export async function recordWeightChange(
  uow: UnitOfWork,
  weightBefore: number | null,
  { id, weight }: Pick<Issue, 'id' | 'weight'>,
): Promise<void> {
  if (weight !== weightBefore) await uow.record({ weightOf: id, weight });
}

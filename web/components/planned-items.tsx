import { BurnUp } from '../charts/burn-up.tsx';
import { FirstRows } from './first-rows.tsx';
import { type ItemInList, ItemRows } from './item-rows.tsx';
import { Progress } from './progress.tsx';

interface PlannedIssue extends ItemInList {
  readonly closed_at: string | null;
  readonly weight?: number | null;
}

/** The issues and merge requests of a milestone or iteration, and how many are done. */
export function PlannedItems({
  issues,
  isPartial,
  mergeRequests = [],
  period: { start_date, due_date },
}: {
  readonly issues: readonly PlannedIssue[];
  /** Whether there are more issues than these. */
  readonly isPartial: boolean;
  readonly mergeRequests?: readonly ItemInList[];
  /** The first and last day of the plan. */
  readonly period: { readonly start_date: string | null; readonly due_date: string | null };
}) {
  return (
    <>
      <Progress issues={issues} isPartial={isPartial} />
      <BurnUp issues={issues} start={start_date} end={due_date} />
      <Group title="Open issues" items={issues.filter(({ state }) => state === 'opened')} />
      <Group title="Closed issues" items={issues.filter(({ state }) => state === 'closed')} />
      <Group title="Merge requests" items={mergeRequests} />
    </>
  );
}

function Group({ title, items }: { readonly title: string; readonly items: readonly ItemInList[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="badge">{items.length}</span>
      </h2>
      <FirstRows rows={items}>{(shown) => <ItemRows items={shown} />}</FirstRows>
    </section>
  );
}

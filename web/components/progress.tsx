import { formatCount } from '../text/names.ts';

/** How many issues of a milestone, iteration or epic are closed, and their weights. */
export function Progress({
  issues,
  isPartial,
}: {
  readonly issues: readonly { readonly state: string; readonly weight?: number | null }[];
  /** Whether there are more issues, which are not counted. */
  readonly isPartial: boolean;
}) {
  const closed = issues.filter(({ state }) => state === 'closed');
  const addWeights = (some: typeof issues) => some.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const weight = addWeights(issues);
  if (issues.length === 0) return <p class="quiet">No issues yet.</p>;
  return (
    <div>
      <p>
        {closed.length} of {isPartial ? 'the first ' : ''}
        {formatCount(issues.length, 'issue')} closed
        {weight === 0 ? '' : `, weight ${addWeights(closed)} of ${weight}`}
        <progress class="meter" value={closed.length} max={issues.length} aria-label="Closed issues" />
      </p>
    </div>
  );
}

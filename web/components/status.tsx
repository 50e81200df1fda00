import { Mark } from '../charts/marks.tsx';
import { describeStatus } from '../text/ci-status.ts';

/** The status of a pipeline or job as a shape and a word. */
export function Status({
  status,
  isAllowedToFail = false,
}: {
  readonly status: string;
  /** A failure that does not fail the pipeline is a warning. */
  readonly isAllowedToFail?: boolean;
}) {
  const { label, tone, shape } = describeStatus(status === 'failed' && isAllowedToFail ? 'warning' : status);
  return (
    <span class={`status tone-${tone}`}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <Mark shape={shape} />
      </svg>{' '}
      {label}
    </span>
  );
}

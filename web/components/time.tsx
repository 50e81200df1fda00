import { formatRelativeTime } from '../text/time.ts';

/** A time as its distance from now; its exact value is the title. */
export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={value}>
      {formatRelativeTime(value, Date.now())}
    </time>
  );
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** The number of rows that are shown first, and that each press of the button adds. */
const STEP = 100;

/** The first rows of a list that is loaded as a whole, and a button for more: a thousand rows would take seconds to appear. */
export function FirstRows<Row>({
  rows,
  children,
}: {
  readonly rows: readonly Row[];
  readonly children: (shown: readonly Row[]) => ComponentChildren;
}) {
  const [count, setCount] = useState(STEP);
  return (
    <>
      {children(rows.slice(0, count))}
      {rows.length <= count ? null : (
        <p>
          <button type="button" onClick={() => setCount(count + STEP)}>
            Show more of {rows.length.toLocaleString('en')}
          </button>
        </p>
      )}
    </>
  );
}

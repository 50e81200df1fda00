import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  type DiffLine,
  type DiffLineNumbers,
  type DiffSegment,
  divideLines,
  parseLineKey,
  toLineKey,
} from '../text/hunks.ts';

/** The changed lines of a file: few elements for each, and at most 50 lines in one task. */

/** Content below lines of a file, such as threads and forms, by the keys of the lines. */
export type LineExtras = ReadonlyMap<string, ComponentChildren>;

/** The maximum number of lines that one task builds. */
const MAX_SEGMENT_LINES = 50;

/** The height of a line that is not longer than the screen, as in style.css. */
export const LINE_HEIGHT_REM = 1.25;

/** Tests have no browser, so nothing is built later. */
export const isInBrowser = typeof IntersectionObserver !== 'undefined';

/** A table of the changed lines of a file, with content below some of them. */
export function DiffLines({
  name,
  id,
  lines,
  extras,
  onLine,
}: {
  /** The name of the file. */
  readonly name: string;
  /** The id of the file in the page; those of its lines begin with it. */
  readonly id: string;
  readonly lines: readonly DiffLine[];
  readonly extras: LineExtras;
  /** Called with the line whose number was clicked; without it the numbers only link to their lines. */
  readonly onLine?: (line: DiffLineNumbers) => void;
}) {
  const keys = [...extras.keys()].join();
  const segments = useMemo(() => divideLines(lines, extras, MAX_SEGMENT_LINES), [lines, keys]);
  const builtCount = useGrowingCount(segments.length);
  useEffect(() => {
    // The browser has looked for the line of the address before the line was there.
    if (isInBrowser && location.hash.startsWith(`#${id}_`) && builtCount === segments.length)
      location.replace(location.hash);
  }, [id, builtCount === segments.length]);
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a.diff-number') : null;
    const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (link === null || onLine === undefined || hasModifier) return;
    event.preventDefault();
    history.replaceState(history.state, '', link.getAttribute('href'));
    onLine(parseLineKey(link.closest('tr')!.id.slice(id.length + 1)));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listener is for the links in the table, which the keyboard clicks
    <table class="diff" onClick={onClick}>
      <caption class="hidden">
        Changed lines of {name}. {onLine === undefined ? '' : 'The number of a line opens a form for a comment.'}
      </caption>
      <thead class="hidden">
        <tr>
          <th scope="col">Old line</th>
          <th scope="col">New line</th>
          <th scope="col">Content</th>
        </tr>
      </thead>
      {segments.slice(0, builtCount).map((segment) => (
        <SegmentRows
          key={`${segment.start} ${segment.end}`}
          id={id}
          lines={lines}
          segment={segment}
          extra={segment.extra === null ? null : extras.get(segment.extra)}
        />
      ))}
    </table>
  );
}

/** Returns a number that grows by one per task up to `total`. Without a browser it is `total` from the start. */
function useGrowingCount(total: number): number {
  const [count, setCount] = useState(isInBrowser ? 1 : total);
  useEffect(() => {
    if (count >= total) return;
    const timer = setTimeout(() => setCount(count + 1));
    return () => clearTimeout(timer);
  }, [count, total]);
  return count;
}

function SegmentRows({
  id,
  lines,
  segment: { start, end },
  extra,
}: {
  readonly id: string;
  readonly lines: readonly DiffLine[];
  readonly segment: DiffSegment;
  readonly extra: ComponentChildren;
}) {
  // The same elements as before cause no comparison of their content.
  const rows = useMemo(
    () => (
      <tbody class="diff-lines" style={{ containIntrinsicSize: `auto ${(end - start) * LINE_HEIGHT_REM}rem` }}>
        {lines.slice(start, end).map((line) => renderLine(id, line))}
      </tbody>
    ),
    [id, lines, start, end],
  );
  return (
    <>
      {rows}
      {extra ? (
        <tbody class="diff-block">
          <tr class="diff-block">
            <td colSpan={3} class="diff-extra">
              {extra}
            </td>
          </tr>
        </tbody>
      ) : null}
    </>
  );
}

/** Returns the row of a line. It is not a component, because there are thousands of lines. */
function renderLine(id: string, line: DiffLine) {
  const { kind, text, oldLine, newLine } = line;
  const key = toLineKey(line);
  if (key === null)
    return (
      <tr class={`diff-${kind}`}>
        <td />
        <td />
        <td>{text}</td>
      </tr>
    );
  const href = `#${id}_${key}`;
  return (
    <tr id={href.slice(1)} class={`diff-${kind}`}>
      <td>{newLine === null ? renderLink(href, oldLine) : oldLine}</td>
      <td>{newLine === null ? null : renderLink(href, newLine)}</td>
      <td>{text}</td>
    </tr>
  );
}

const renderLink = (href: string, line: number | null) => (
  <a class="diff-number" href={href}>
    {line}
  </a>
);

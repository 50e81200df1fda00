import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Diff } from '../api/operations.ts';
import {
  countChanges,
  type DiffLine,
  type DiffLineNumbers,
  type DiffSegment,
  divideLines,
  parseDiff,
  parseLineKey,
  toLineKey,
} from '../text/hunks.ts';
import { formatCount } from '../text/names.ts';

/**
 * The changes of files. A file is built when it is near the viewport, at most 50 lines in one task, and each line has few
 * elements: a large change stays usable.
 */

/** What follows lines of a file, such as threads and forms, by the keys of the lines. */
export type LineExtras = ReadonlyMap<string, ComponentChildren>;

/** The maximum number of lines that one task builds. */
const MAX_SEGMENT_LINES = 50;

/** The height of a line that is not longer than the screen, as in style.css. */
const LINE_HEIGHT_REM = 1.25;

/** How far from the viewport a file is built. */
const VIEWPORT_MARGIN = '800px';

interface FileProps {
  /** Returns the address of a file with all its lines; null if there is none. */
  readonly toFileUrl?: (file: Diff) => string | null;
  /** Called with the line whose number was clicked; without it the numbers only link to their lines. */
  readonly onLine?: (file: Diff, line: DiffLineNumbers) => void;
}

/** A list of the changed files, then the changes of each. */
export function FileDiffs({
  files,
  extras,
  ...props
}: FileProps & {
  readonly files: readonly Diff[];
  /** What follows lines, by the new path of the file. */
  readonly extras?: ReadonlyMap<string, LineExtras>;
}) {
  const parsedFiles = useMemo(() => files.map(parseFile), [files]);
  if (files.length === 0) return <p class="quiet">No file has changed.</p>;
  const sum = (key: 'added' | 'removed') => parsedFiles.reduce((total, { counts }) => total + counts[key], 0);
  return (
    <>
      <details class="diff-files">
        <summary>
          {formatCount(files.length, 'changed file')}, <Counts added={sum('added')} removed={sum('removed')} />
        </summary>
        <ul>
          {parsedFiles.map(({ file, counts }) => (
            <li key={file.new_path}>
              <a href={`#${toFileId(file)}`}>{file.new_path}</a> <Counts {...counts} />
            </li>
          ))}
        </ul>
      </details>
      {parsedFiles.map(({ file, lines, counts }) => (
        <FileDiff
          key={file.new_path}
          file={file}
          lines={lines}
          counts={counts}
          extras={extras?.get(file.new_path) ?? NO_EXTRAS}
          {...props}
        />
      ))}
    </>
  );
}

const NO_EXTRAS: LineExtras = new Map();

function parseFile(file: Diff) {
  const lines = parseDiff(file.diff);
  return { file, lines, counts: countChanges(lines) };
}

function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="diff-counts">
      <span class="diff-plus">
        +{added}
        <span class="hidden"> added lines</span>
      </span>{' '}
      <span class="diff-minus">
        −{removed}
        <span class="hidden"> removed lines</span>
      </span>
    </span>
  );
}

/** Returns the id of a file in the page; its lines have it and their key. */
const toFileId = ({ new_path }: Pick<Diff, 'new_path'>): string => `diff-${encodeURIComponent(new_path)}`;

/** Returns the anchor of a line on a page with the changes of its file. */
export function toLineAnchor(new_path: string, line: DiffLineNumbers): string {
  return `#${toFileId({ new_path })}_${toLineKey(line) ?? ''}`;
}

function FileDiff({
  file,
  lines,
  counts,
  extras,
  toFileUrl,
  onLine,
}: FileProps & {
  readonly file: Diff;
  readonly lines: readonly DiffLine[];
  readonly counts: ReturnType<typeof countChanges>;
  readonly extras: LineExtras;
}) {
  const id = toFileId(file);
  const element = useRef<HTMLDetailsElement>(null);
  const isNear = useIsNear(element);
  const url = toFileUrl?.(file) ?? null;
  const otherExtras = [...extras].filter(([key]) => !lines.some((line) => toLineKey(line) === key));
  return (
    <details ref={element} class="diff-file" id={id} open>
      <summary>
        <h2>{file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path}</h2>{' '}
        {listChanges(file).map((change) => (
          <span key={change} class="badge">
            {change}
          </span>
        ))}{' '}
        {lines.length === 0 ? null : <Counts {...counts} />}
      </summary>
      {url === null ? null : (
        <p class="diff-remark">
          <a href={url}>View file</a>
        </p>
      )}
      {otherExtras.map(([key, extra]) => (
        <div key={key} class="diff-extra">
          {extra}
        </div>
      ))}
      {lines.length === 0 ? (
        <p class="diff-remark quiet">{explainNoLines(file)}</p>
      ) : isNear ? (
        <LineTable file={file} id={id} lines={lines} extras={extras} {...(onLine === undefined ? {} : { onLine })} />
      ) : (
        <div style={{ height: `${lines.length * LINE_HEIGHT_REM}rem` }} />
      )}
    </details>
  );
}

/** Returns what has happened to a file besides its lines. */
function listChanges({ new_file, deleted_file, renamed_file, a_mode, b_mode }: Diff): string[] {
  const hasOtherMode = !new_file && !deleted_file && a_mode !== b_mode;
  return [
    ...(new_file ? ['new'] : []),
    ...(deleted_file ? ['deleted'] : []),
    ...(renamed_file ? ['renamed'] : []),
    ...(hasOtherMode ? [`mode ${a_mode} → ${b_mode}`] : []),
  ];
}

function explainNoLines({ diff, too_large, collapsed, new_file, deleted_file, renamed_file }: Diff): string {
  if (too_large) return 'The change of this file is too large to be shown here.';
  if (collapsed) return 'The change of this file is not shown, because all changes together are too large.';
  if (diff !== '') return 'This file is not text.';
  if (renamed_file) return 'The file was renamed without other changes.';
  return new_file || deleted_file ? 'The file is empty.' : 'No line has changed.';
}

const isInBrowser = typeof IntersectionObserver !== 'undefined';

/** Returns whether an element is or has been near the viewport, or the address names something in it. */
function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(!isInBrowser);
  useEffect(() => {
    if (isNear || element.current === null) return;
    const { id } = element.current;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: VIEWPORT_MARGIN },
    );
    observer.observe(element.current);
    if (location.hash.startsWith(`#${id}_`)) setNear(true);
    return () => observer.disconnect();
  }, [isNear, element]);
  return isNear;
}

function LineTable({
  file,
  id,
  lines,
  extras,
  onLine,
}: Pick<FileProps, 'onLine'> & {
  readonly file: Diff;
  readonly id: string;
  readonly lines: readonly DiffLine[];
  readonly extras: LineExtras;
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
    onLine(file, parseLineKey(link.closest('tr')!.id.slice(id.length + 1)));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listener is for the links in the table, which the keyboard clicks
    <table class="diff" onClick={onClick}>
      <caption class="hidden">
        Changed lines of {file.new_path}.{' '}
        {onLine === undefined ? '' : 'The number of a line opens a form for a comment.'}
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

/** Returns a number that grows to `total` by one in each task; without a browser it is `total` at once. */
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

/** Returns the row of a line. It is no component, because there are thousands of lines. */
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

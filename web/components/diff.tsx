import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Diff } from '../api/operations.ts';
import { countChanges, type DiffLine, type DiffLineNumbers, parseDiff, toLineKey } from '../text/hunks.ts';
import { formatCount } from '../text/names.ts';
import { DiffLines, isInBrowser, LINE_HEIGHT_REM, type LineExtras } from './diff-lines.tsx';
import { FirstRows } from './first-rows.tsx';

/** The changes of files. A file is built when it is near the viewport, so a large change stays usable. */

/** Distance from the viewport at which a file is rendered. */
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
  /** Content below lines, by the new path of the file. */
  readonly extras?: ReadonlyMap<string, LineExtras>;
}) {
  const parsedFiles = useMemo(() => files.map(parseFile), [files]);
  if (files.length === 0) return <p class="quiet">No file has changed.</p>;
  const sum = (key: 'added' | 'removed') => parsedFiles.reduce((total, { counts }) => total + counts[key], 0);
  return (
    <FirstRows rows={parsedFiles}>
      {(shown) => (
        <>
          <details class="diff-files">
            <summary>
              {formatCount(files.length, 'changed file')}, <Counts added={sum('added')} removed={sum('removed')} />
            </summary>
            <ul>
              {shown.map(({ file, counts }) => (
                <li key={file.new_path}>
                  <a href={`#${toFileId(file)}`}>{file.new_path}</a> <Counts {...counts} />
                </li>
              ))}
            </ul>
          </details>
          {shown.map(({ file, lines, counts }) => (
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
      )}
    </FirstRows>
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
        <DiffLines
          name={file.new_path}
          id={id}
          lines={lines}
          extras={extras}
          {...(onLine === undefined ? {} : { onLine: (line) => onLine(file, line) })}
        />
      ) : (
        <div style={{ height: `${lines.length * LINE_HEIGHT_REM}rem` }} />
      )}
    </details>
  );
}

/** Returns the other changes of a file: that it is new, deleted or renamed, or has another mode. */
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

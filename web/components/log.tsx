import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StyledText } from '../text/ansi.ts';
import type { LogChunk, Log as LogData, LogLine, LogNode, LogSection } from '../text/log-lines.ts';
import { formatDuration } from '../text/time.ts';

interface LogProps {
  readonly label?: string;
  /** A parser adds lines to it. */
  readonly log: LogData;
  /** Changes when lines were added. */
  readonly revision: number;
  readonly isComplete: boolean;
  /** The prefix of the ids of lines. Empty if the log begins with its first line; otherwise the numbers of its lines are unknown. */
  readonly idPrefix: string;
  /** The URL of the whole log as text. */
  readonly rawUrl: string;
}

/** The log of a job. All lines are in the document, so that the browser finds text in them; those out of view cost no layout. */
export function Log({ label = 'Log', log, revision, isComplete, idPrefix, rawUrl }: LogProps) {
  const endId = `${idPrefix}log-end`;
  const [follows, setFollows] = useFollowing(endId, revision, !isComplete);
  if (log.lineCount === 0) return <p class="quiet">{isComplete ? 'The log is empty.' : 'The log has no lines yet.'}</p>;
  return (
    <section class={idPrefix === '' ? 'log' : 'log log-unnumbered'} aria-label={label}>
      <p class="log-bar">
        {log.firstFailure === null ? null : <a href={`#${idPrefix}L${log.firstFailure}`}>First failure</a>}
        <a href={`#${endId}`}>End of the log</a>
        {isComplete ? null : (
          <button type="button" class="plain" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            Follow
          </button>
        )}
      </p>
      {log.omittedLines === 0 ? null : (
        <p class="quiet">
          The first {log.omittedLines.toLocaleString('en')} lines are only in the <a href={rawUrl}>raw log</a>.
        </p>
      )}
      <Nodes nodes={log.children} idPrefix={idPrefix} />
      <span id={endId} />
    </section>
  );
}

/** While it is on, the window shows the end of the log when lines are added. Scrolling up switches it off. */
function useFollowing(
  endId: string,
  revision: number,
  isRunning: boolean,
): [follows: boolean, setFollows: (follows: boolean) => void] {
  const [follows, setFollows] = useState(false);
  const isOn = follows && isRunning;
  useEffect(() => {
    if (isOn && revision > 0) document.getElementById(endId)?.scrollIntoView({ block: 'end' });
  }, [endId, isOn, revision]);
  useEffect(() => {
    if (!isOn) return;
    let before = window.scrollY;
    const onScroll = () => {
      if (window.scrollY < before) setFollows(false);
      before = window.scrollY;
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, [isOn]);
  return [follows, setFollows];
}

function Nodes({ nodes, idPrefix }: { readonly nodes: readonly LogNode[]; readonly idPrefix: string }) {
  return (
    <>
      {nodes.map((node) =>
        node.kind === 'lines' ? (
          <Chunk key={node.key} chunk={node} revision={node.revision} idPrefix={idPrefix} />
        ) : (
          <Section key={node.key} section={node} idPrefix={idPrefix} />
        ),
      )}
    </>
  );
}

function Section({
  section: { title, number, isCollapsed, seconds, children },
  idPrefix,
}: {
  readonly section: LogSection;
  readonly idPrefix: string;
}) {
  return (
    <details class="log-section" open={!isCollapsed}>
      <summary id={`${idPrefix}L${number}`}>
        {title.map(({ text, classes }, index) => (
          <span key={index} class={classes}>
            {text}
          </span>
        ))}{' '}
        {seconds === null ? null : <span class="quiet">{formatDuration(seconds)}</span>}
      </summary>
      <Nodes nodes={children} idPrefix={idPrefix} />
    </details>
  );
}

/** Lines in elements that it creates itself: for 50,000 lines, comparing them with those before would take half a second. */
function Chunk({
  chunk: { lines },
  revision,
  idPrefix,
}: {
  readonly chunk: LogChunk;
  readonly revision: number;
  readonly idPrefix: string;
}) {
  const element = useRef<HTMLDivElement>(null);
  const shown = useRef<LogLine[]>([]);
  useLayoutEffect(() => {
    for (const [index, line] of lines.entries()) {
      if (shown.current[index] === line) continue;
      const before = element.current!.children[index];
      if (before === undefined) element.current!.append(createLine(line, idPrefix));
      else before.replaceWith(createLine(line, idPrefix));
      shown.current[index] = line;
    }
  }, [lines, revision, idPrefix]);
  return <div class="log-lines" ref={element} style={{ containIntrinsicHeight: `auto ${lines.length}lh` }} />;
}

function createLine({ number, time, parts }: LogLine, idPrefix: string): HTMLElement {
  const line = document.createElement('div');
  line.id = `${idPrefix}L${number}`;
  const link = document.createElement('a');
  link.href = `#${idPrefix}L${number}`;
  // Some 50,000 links would make the content after the log unreachable by keyboard.
  link.tabIndex = -1;
  if (time !== null) link.title = time;
  link.textContent = String(number);
  line.append(link, ...parts.map(createPart));
  return line;
}

function createPart({ text, classes }: StyledText): string | HTMLElement {
  if (classes === '') return text;
  const part = document.createElement('span');
  part.className = classes;
  part.textContent = text;
  return part;
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StyledText } from '../text/ansi.ts';
import {
  createLogParser,
  type LogChunk,
  type Log as LogData,
  type LogLine,
  type LogNode,
  type LogParser,
  type LogSection,
  MAX_LOG_LINES,
} from '../text/log-lines.ts';
import { formatDuration } from '../text/time.ts';

/** The log of a job. All lines are in the document, so that the browser finds text in them; those out of view cost no layout. */
export function Log({ text, isComplete }: { readonly text: string; readonly isComplete: boolean }) {
  const log = useLog(text, isComplete);
  const [follows, setFollows] = useFollowing(text, !isComplete);
  if (log.lineCount === 0) return <p class="quiet">{isComplete ? 'The log is empty.' : 'The log has no lines yet.'}</p>;
  return (
    <section class="log" aria-label="Log">
      <p class="log-bar">
        {log.firstFailure === null ? null : <a href={`#L${log.firstFailure}`}>First failure</a>}
        <a href="#log-end">End of the log</a>
        {isComplete ? null : (
          <button type="button" class="plain" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            Follow
          </button>
        )}
      </p>
      {log.omittedLines === 0 ? null : (
        <p class="quiet">The first {log.omittedLines.toLocaleString('en')} lines are only in the raw log.</p>
      )}
      <Nodes nodes={log.children} />
      <span id="log-end" />
    </section>
  );
}

/** Returns the parsed log. Text that is added is parsed alone. */
function useLog(text: string, isComplete: boolean): LogData {
  const previous = useRef<{ readonly parser: LogParser; readonly text: string; readonly isComplete: boolean } | null>(
    null,
  );
  return useMemo(() => {
    const before = previous.current;
    const continued =
      before !== null && !before.isComplete && text.startsWith(before.text) && !isTooLong(before.parser.log)
        ? before
        : null;
    const parser = continued?.parser ?? createLogParser();
    parser.append(text.slice(continued?.text.length ?? 0), isComplete);
    previous.current = { parser, text, isComplete };
    return parser.log;
  }, [text, isComplete]);
}

const isTooLong = ({ lineCount, omittedLines }: LogData): boolean => lineCount - omittedLines > 1.1 * MAX_LOG_LINES;

/** While it is on, the window shows the end of the log when text is added. Scrolling up switches it off. */
function useFollowing(text: string, isRunning: boolean): [follows: boolean, setFollows: (follows: boolean) => void] {
  const [follows, setFollows] = useState(false);
  const isOn = follows && isRunning;
  useEffect(() => {
    if (isOn && text !== '') document.getElementById('log-end')?.scrollIntoView({ block: 'end' });
  }, [isOn, text]);
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

function Nodes({ nodes }: { readonly nodes: readonly LogNode[] }) {
  return (
    <>
      {nodes.map((node, index) =>
        node.kind === 'lines' ? (
          <Chunk key={index} chunk={node} revision={node.revision} />
        ) : (
          <Section key={index} section={node} />
        ),
      )}
    </>
  );
}

function Section({ section: { title, number, isCollapsed, seconds, children } }: { readonly section: LogSection }) {
  return (
    <details class="log-section" open={!isCollapsed}>
      <summary id={`L${number}`}>
        {renderParts(title)} {seconds === null ? null : <span class="quiet">{formatDuration(seconds)}</span>}
      </summary>
      <Nodes nodes={children} />
    </details>
  );
}

function Chunk({ chunk: { lines }, revision }: { readonly chunk: LogChunk; readonly revision: number }) {
  // The same elements again while nothing has changed: they cost no comparison.
  const elements = useMemo(() => lines.map(renderLine), [lines, revision]);
  return (
    <div class="log-lines" style={{ containIntrinsicHeight: `auto ${lines.length}lh` }}>
      {elements}
    </div>
  );
}

/** Returns the elements of a line. A component for each line would take as long as its elements. */
function renderLine({ number, time, parts }: LogLine) {
  return (
    <div key={number} id={`L${number}`}>
      {/* Some 50,000 links would make the content after the log unreachable by keyboard. */}
      <a href={`#L${number}`} tabIndex={-1} title={time ?? undefined}>
        {number}
      </a>
      {renderParts(parts)}
    </div>
  );
}

function renderParts(parts: readonly StyledText[]) {
  return parts.map(({ text, classes }, index) =>
    classes === '' ? (
      text
    ) : (
      <span key={index} class={classes}>
        {text}
      </span>
    ),
  );
}

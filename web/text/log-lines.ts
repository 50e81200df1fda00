import { PLAIN, parseStyles, type StyledText, type TextStyle } from './ansi.ts';

/** The log of a CI job as data: lines with styles, in sections that can be folded. */

export interface LogLine {
  /** From 1; the number in the whole text. */
  readonly number: number;
  /** When the runner wrote the line, as RFC 3339; null if the log has no timestamps. */
  readonly time: string | null;
  readonly parts: readonly StyledText[];
}

/** Lines that follow each other. A viewer renders each chunk only when it comes into view. */
export interface LogChunk {
  readonly kind: 'lines';
  /** Distinguishes it from the other nodes of the log. */
  readonly key: number;
  readonly lines: LogLine[];
  /** The number of characters of all lines. */
  length: number;
  /** Grows when a line is added or changes. */
  revision: number;
}

/** A section of the log, as the runner or the job marks it: `section_start:1700000000:build[collapsed=true]`. */
export interface LogSection {
  readonly kind: 'section';
  /** Distinguishes it from the other nodes of the log. */
  readonly key: number;
  readonly name: string;
  /** The text after the section's start; the name if there is no text. */
  title: readonly StyledText[];
  /** Number of the line of its start. */
  readonly number: number;
  readonly isCollapsed: boolean;
  /** Null until it ends. */
  seconds: number | null;
  readonly children: LogNode[];
}

export type LogNode = LogChunk | LogSection;

export interface Log {
  readonly children: readonly LogNode[];
  readonly lineCount: number;
  /** The number of lines at the beginning that were left out, because the log is too long. */
  readonly omittedLines: number;
  /** The first line that looks like a failure; null if there is none, and when it is left out. */
  readonly firstFailure: number | null;
}

export interface LogParser {
  /** Parses the text that follows. A last line without an end waits for the rest, unless the log is complete. */
  append(text: string, isComplete: boolean): void;
  readonly log: Log;
}

/** Lines of a chunk: few chunks for long logs, and little to render for each. */
const CHUNK_LINES = 200;

/** Lines and characters over these numbers are left out at the beginning, where a log says least about a failure. */
export const MAX_LOG_LINES = 100_000;
export const MAX_LOG_LENGTH = 16 * 1024 * 1024;

/** Characters of a line; the rest is left out. */
const MAX_LINE_LENGTH = 20_000;

/** Parts of a line that other lines continue; what follows is a line of its own. */
const MAX_CONTINUED_PARTS = 500;

/** Maximum depth of nested sections; deeper ones are merged into the last level. */
const MAX_SECTION_DEPTH = 8;

/** The prefix of each line with timestamps: time, stream, and whether the line continues the one before. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) [0-9a-f]{2}[EO]([ +])/;

const SECTION = /section_(start|end):(\d{1,12}):([\w.-]{1,200})(?:\[([^\]\r]{0,200})\])?\r(?:\x1b\[0?K)?/g;

/** Words with which tools report a failure. */
const FAILURE =
  /(?:^|[^\w-])(?:[Ee]rror|ERROR|[Ff]atal|FATAL)(?:\[\w{1,20}\])?:|^\s{0,8}(?:ERROR|FATAL|FAILED|FAIL|npm ERR!|not ok)(?!\w)/;

/** Returns a parser of one log, which parses text that is added without reading the earlier text again. */
export function createLogParser(): LogParser {
  const root: LogNode[] = [];
  const sections: { readonly section: LogSection; readonly startedAt: number }[] = [];
  const log = { children: root, lineCount: 0, omittedLines: 0, firstFailure: null as number | null };
  let style: TextStyle = PLAIN;
  let pending = '';
  let [length, nodeCount] = [0, 0];

  const currentNodes = () => sections.at(-1)?.section.children ?? root;

  /** Returns the visible parts of a text as a terminal shows it, and sets the style of the next text. */
  function readParts(text: string): readonly StyledText[] {
    const styled = parseStyles(toShownText(text), style);
    style = styled.style;
    return styled.parts;
  }

  function addLine(parts: readonly StyledText[], time: string | null, continues: boolean): void {
    const chunk = findChunk(currentNodes());
    const previous = chunk.lines.at(-1);
    chunk.revision++;
    for (const { text } of parts) {
      chunk.length += text.length;
      length += text.length;
    }
    if (continues && previous !== undefined && previous.parts.length < MAX_CONTINUED_PARTS) {
      chunk.lines[chunk.lines.length - 1] = { ...previous, parts: [...previous.parts, ...parts] };
      return;
    }
    const line = { number: log.lineCount, time, parts };
    chunk.lines.push(line);
    if (log.firstFailure === null && isFailure(line)) log.firstFailure = line.number;
  }

  function startSection(name: string, startedAt: number, options: string): LogSection | null {
    if (sections.length >= MAX_SECTION_DEPTH) return null;
    const isCollapsed = options.split(',').includes('collapsed=true');
    const title = [{ text: name, classes: '' }];
    const section: LogSection = {
      kind: 'section',
      key: nodeCount++,
      name,
      title,
      number: log.lineCount,
      isCollapsed,
      seconds: null,
      children: [],
    };
    currentNodes().push(section);
    sections.push({ section, startedAt });
    return section;
  }

  function endSection(name: string, endedAt: number): void {
    const index = sections.findLastIndex(({ section }) => section.name === name);
    if (index === -1) return;
    for (const { section, startedAt } of sections.splice(index)) section.seconds = Math.max(0, endedAt - startedAt);
  }

  function parseLine(text: string): void {
    log.lineCount++;
    const [prefix = '', time = null, flag = ' '] = TIMESTAMP.exec(text) ?? [];
    const line = text.slice(prefix.length, prefix.length + MAX_LINE_LENGTH);
    const continues = flag === '+';
    let end = 0;
    let started: LogSection | null = null;
    for (const match of line.includes('section_') ? line.matchAll(SECTION) : []) {
      const [marker, kind, seconds, name = '', options = ''] = match;
      const before = readParts(line.slice(end, match.index));
      if (before.length > 0) addLine(before, time, continues);
      end = match.index + marker.length;
      started = null;
      if (kind === 'start') started = startSection(name, Number(seconds), options);
      else endSection(name, Number(seconds));
    }
    const parts = readParts(line.slice(end));
    if (started !== null && parts.length > 0) started.title = parts;
    else if (end === 0 || parts.length > 0) addLine(parts, time, continues);
  }

  function append(text: string, isComplete: boolean): void {
    const lines = (pending + text).split('\n');
    pending = isComplete ? '' : (lines.pop() ?? '');
    if (isComplete && lines.at(-1) === '') lines.pop();
    for (const line of lines) {
      parseLine(line);
      while ((log.lineCount - log.omittedLines > MAX_LOG_LINES || length > MAX_LOG_LENGTH) && dropFirst(root));
    }
  }

  /** Leaves out the first lines or the first empty section of nodes. Returns false if only an open section is left. */
  function dropFirst(nodes: LogNode[]): boolean {
    const first = nodes[0];
    if (first === undefined) return false;
    if (first.kind === 'section') {
      if (first.children.length > 0) return dropFirst(first.children);
      if (sections.some(({ section }) => section === first)) return false;
    } else length -= first.length;
    nodes.shift();
    log.omittedLines = first.kind === 'section' ? first.number : first.lines.at(-1)!.number;
    if (log.firstFailure !== null && log.firstFailure <= log.omittedLines) log.firstFailure = null;
    return true;
  }

  /** Returns the chunk for the next line: the last one, or a new one after a section or a full one. */
  function findChunk(nodes: LogNode[]): LogChunk {
    const last = nodes.at(-1);
    if (last?.kind === 'lines' && last.lines.length < CHUNK_LINES) return last;
    const chunk: LogChunk = { kind: 'lines', key: nodeCount++, lines: [], length: 0, revision: 0 };
    nodes.push(chunk);
    return chunk;
  }

  return { append, log };
}

/** Returns the final content of a line in a terminal: a carriage return starts it anew. */
function toShownText(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
}

/** Runners and most tools write failures in red, 1 or 9. */
function isFailure({ parts }: LogLine): boolean {
  if (parts.some(({ classes }) => /(?:^| )ansi-(?:1|9)(?: |$)/.test(classes))) return true;
  return FAILURE.test(
    parts
      .map(({ text }) => text)
      .join('')
      .slice(0, 500),
  );
}

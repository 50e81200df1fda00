import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogParser, type Log, type LogNode, MAX_LOG_LENGTH, MAX_LOG_LINES } from './log-lines.ts';

const ESC = '\x1b';

function parse(...texts: string[]): Log {
  const { append, log } = createLogParser();
  for (const [index, text] of texts.entries()) append(text, index === texts.length - 1);
  return log;
}

/** Returns a log as nested texts: a line as its text, with the classes of parts in brackets; a section as an object. */
function outline(nodes: readonly LogNode[]): unknown[] {
  return nodes.flatMap((node): unknown[] =>
    node.kind === 'lines' ? node.lines.map(({ parts }) => toText(parts)) : [outlineSection(node)],
  );
}

const toText = (parts: readonly { text: string; classes: string }[]): string =>
  parts.map(({ text, classes }) => (classes === '' ? text : `[${classes}|${text}]`)).join('');

const outlineSection = ({ name, title, seconds, isCollapsed, children }: Extract<LogNode, { kind: 'section' }>) => ({
  name,
  title: toText(title),
  seconds,
  isCollapsed,
  children: outline(children),
});

test('colours become classes, and last until they are reset', () => {
  const cases: [text: string, lines: string[]][] = [
    [`${ESC}[31mred${ESC}[0m plain`, ['[ansi-1|red] plain']],
    [`${ESC}[1;32mgood\nstill${ESC}[0;m`, ['[ansi-2 ansi-bold|good]', '[ansi-2 ansi-bold|still]']],
    [`${ESC}[91mbright${ESC}[39m${ESC}[44mblue`, ['[ansi-9|bright][ansi-bg-4|blue]']],
    [`${ESC}[38;5;196mpalette${ESC}[38;2;0;200;0mrgb${ESC}[m`, ['[ansi-9|palette][ansi-2|rgb]']],
    [`${ESC}[38:2:90:90:90mgrey`, ['[ansi-8|grey]']],
    [`${ESC}[3mitalic${ESC}[23;4munder${ESC}[24mnone`, ['[ansi-italic|italic][ansi-underline|under]none']],
    [`${ESC}[1m${ESC}[1mone part`, ['[ansi-bold|one part]']],
    [`${ESC}[999;38;5m${ESC}[;;mplain`, ['plain']],
  ];
  for (const [text, lines] of cases) assert.deepEqual(outline(parse(text).children), lines, JSON.stringify(text));
});

test('other escapes and control characters are removed', () => {
  const cases: [text: string, line: string][] = [
    [`${ESC}]8;;https://elsewhere.test${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    [`${ESC}]0;title\x07text`, 'text'],
    [`${ESC}[2J${ESC}[10;10Hup${ESC}[K`, 'up'],
    [`a\x08\x00\x7fb\tc${ESC}`, 'ab\tc'],
    [`${ESC}[31`, ''],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ];
  for (const [text, line] of cases) assert.deepEqual(outline(parse(text).children), [line], JSON.stringify(text));
});

test('a carriage return begins the line again', () => {
  assert.deepEqual(outline(parse('10%\r50%\r100%\r\nnext\r\n').children), ['100%', 'next']);
});

test('sections contain the lines up to their end, and have a duration', () => {
  const text = [
    `section_start:100:build[collapsed=true]\r${ESC}[0K${ESC}[36mBuild the stove${ESC}[0m`,
    'one',
    `section_start:103:inner\r${ESC}[0K`,
    'two',
    `section_end:110:inner\r${ESC}[0Ksection_end:165:build\r${ESC}[0K`,
    'three',
  ].join('\n');
  const inner = { name: 'inner', title: 'inner', seconds: 7, isCollapsed: false, children: ['two'] };
  const build = {
    name: 'build',
    title: '[ansi-6|Build the stove]',
    seconds: 65,
    isCollapsed: true,
    children: ['one', inner],
  };
  assert.deepEqual(outline(parse(text).children), [build, 'three']);
});

test('a section without an end stays open, and an end without a section is ignored', () => {
  const [section] = outline(parse('section_end:1:x\r\nsection_start:5:y\rY\nz').children);
  assert.deepEqual(section, { name: 'y', title: 'Y', seconds: null, isCollapsed: false, children: ['z'] });
});

test('timestamps of the runner are data, and continued lines are one line', () => {
  const text =
    '2026-11-29T10:00:00.000001Z 00O one \n2026-11-29T10:00:01.000002Z 00O+and a half\n2026-11-29T10:00:02Z 01E two\n';
  const [chunk] = parse(text).children;
  assert.ok(chunk?.kind === 'lines');
  assert.deepEqual(
    chunk.lines.map(({ time, parts }) => [time, toText(parts)]),
    [
      ['2026-11-29T10:00:00.000001Z', 'one and a half'],
      ['2026-11-29T10:00:02Z', 'two'],
    ],
  );
});

test('text that arrives in parts is parsed like the whole text', () => {
  const text = `a\n${ESC}[31mb\nsection_start:1:s\rS\nc\nsection_end:3:s\r\nd`;
  const whole = outline(parse(text).children);
  for (let index = 0; index <= text.length; index++)
    assert.deepEqual(outline(parse(text.slice(0, index), text.slice(index)).children), whole, String(index));
});

test('finds the first line that looks like a failure', () => {
  const cases: [text: string, line: number | null][] = [
    ['ok\nerror: no grate\nerror: again', 2],
    ['src/a.ts(1,2): error: x', 1],
    [`ok\nok\n${ESC}[31;1mERROR: Job failed: exit code 1${ESC}[0;m`, 3],
    ['error[E0382]: use of a moved value', 1],
    ['npm ERR! code 1', 1],
    ['0 errors, no-error-here: fine', null],
    ['Failing tests are fatalities', null],
  ];
  for (const [text, line] of cases) assert.equal(parse(text).firstFailure, line, text);
});

test('long logs and long lines are cut, and keep their numbers', () => {
  const log = parse('line\n'.repeat(MAX_LOG_LINES + 5));
  assert.deepEqual([log.lineCount, log.omittedLines], [MAX_LOG_LINES + 5, 200]);
  const [chunk] = log.children;
  assert.equal(chunk?.kind === 'lines' && chunk.lines[0]?.number, 201);
  assert.equal(String(outline(parse('x'.repeat(1_000_000)).children)[0]).length, 20_000);
  const deep = Array.from({ length: 1000 }, (_, index) => `section_start:1:s${index}\r\n`).join('');
  assert.ok(JSON.stringify(parse(deep).children).length < 10_000);
});

test('a log that grows without end leaves out its beginning', () => {
  const sections = 'section_start:1:a\rA\nerror: one\nsection_end:2:a\r\nsection_start:2:b\rB\n';
  const { append, log } = createLogParser();
  append(sections, false);
  assert.equal(log.firstFailure, 2);
  const line = `${'x'.repeat(19_999)}\n`;
  for (let count = 0; count < 5000; count += 100) append(line.repeat(100), false);
  assert.equal(log.firstFailure, null);
  const [section, ...others] = log.children;
  assert.ok(section?.kind === 'section' && section.name === 'b' && others.length === 0, 'an open section is left out');
  const lines = section.children.flatMap((node) => (node.kind === 'lines' ? node.lines : []));
  assert.equal(lines[0]?.number, log.omittedLines + 1);
  assert.ok(lines.length * 19_999 <= MAX_LOG_LENGTH && (lines.length + 200) * 19_999 > MAX_LOG_LENGTH);
});

test('a line that others continue without end is cut into lines', () => {
  const log = parse(`${'2026-01-01T00:00:00Z 00O+x\n'.repeat(10_000)}`);
  assert.equal(outline(log.children).join('').length, 10_000);
  assert.equal(outline(log.children).length, 20);
});

test('hostile texts are parsed in linear time', () => {
  const texts = [`${ESC}[`, `${ESC}[1m`, `${ESC}]`, 'section_start:1:', 'section_start:1:a[', '\r', 'error', '2026-'];
  for (const text of texts) {
    const startedAt = performance.now();
    parse(text.repeat(300_000));
    parse(`${text}\n`.repeat(50_000));
    assert.ok(performance.now() - startedAt < 5_000, JSON.stringify(text));
  }
});

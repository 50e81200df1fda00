import { type CiMap, CiReference, type CiValue, isArray, isMap, toRubyNotation } from './values.ts';

/** Length limit: shared values are written out each time they are used. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Writes a CI file as YAML that parses to the same file; returns null if the text is too long. */
export function toYaml(file: CiMap): string | null {
  const lines = [];
  let length = 0;
  for (const line of writeMap(file, '')) {
    length += line.length;
    if (length > MAX_LENGTH) return null;
    lines.push(line);
  }
  return `---${file.size === 0 ? ' {}' : ''}\n${lines.join('')}`;
}

const INDENT = '  ';

function* writeMap(map: CiMap, indent: string): Generator<string> {
  for (const [key, value] of map) yield* writeEntry(`${indent}${writeInline(key)}:`, value, indent);
}

/** Writes the value of a key. The dashes of an array are at the indentation of the key. */
function* writeEntry(head: string, value: CiValue, indent: string): Generator<string> {
  if (isMap(value) && value.size > 0) {
    yield `${head}\n`;
    yield* writeMap(value, indent + INDENT);
  } else if (isArray(value) && value.length > 0) {
    yield `${head}\n`;
    yield* writeArray(value, indent);
  } else {
    yield `${head}${writeScalar(value, indent + INDENT)}\n`;
  }
}

function* writeArray(items: readonly CiValue[], indent: string): Generator<string> {
  for (const item of items) {
    const nestedLines =
      isMap(item) && item.size > 0
        ? writeMap(item, indent + INDENT)
        : isArray(item) && item.length > 0
          ? writeArray(item, indent + INDENT)
          : null;
    if (nestedLines === null) yield `${indent}-${writeScalar(item, indent + INDENT)}\n`;
    else yield* prefixWithDash(nestedLines, indent);
  }
}

/** Replaces the indentation of the first line by a dash. */
function* prefixWithDash(lines: Generator<string>, indent: string): Generator<string> {
  let isFirst = true;
  for (const line of lines) {
    yield isFirst ? `${indent}- ${line.slice(indent.length + INDENT.length)}` : line;
    isFirst = false;
  }
}

/** Writes a scalar or empty collection with a leading blank; null yields an empty text. */
function writeScalar(value: CiValue, indent: string): string {
  if (value === null) return '';
  if (isMap(value)) return ' {}';
  if (isArray(value)) return ' []';
  if (value instanceof CiReference) return ` ${toRubyNotation(value)}`;
  if (typeof value !== 'string') return ` ${value}`;
  return ` ${canBeBlock(value) ? writeBlock(value, indent) : writeInline(value)}`;
}

/** Returns whether a text can be a block scalar: its first character must not be white space, which would change the indentation. */
function canBeBlock(text: string): boolean {
  return text.includes('\n') && /^[^\s]/.test(text) && !HIDDEN_IN_LINES.test(text);
}

function writeBlock(text: string, indent: string): string {
  const indicator = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return [indicator, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

function writeInline(text: string): string {
  if (HIDDEN.test(text)) return JSON.stringify(text);
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Control characters and other invisible characters. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufeff]/u;
const HIDDEN_IN_LINES = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/;

/** Words that YAML 1.1 or 1.2 does not read as strings. */
const RESERVED_WORDS = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Returns whether a text can be written as a plain scalar. */
function isPlain(text: string): boolean {
  return (
    /^(?:[\p{L}_/$]|\.\.?\/|\.[\p{L}_])/u.test(text) &&
    !/: | #|[: ]$/.test(text) &&
    !/^\.(?:inf|nan)$/i.test(text) &&
    !RESERVED_WORDS.has(text.toLowerCase())
  );
}

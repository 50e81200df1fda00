import { givingWay } from '#runtime/concurrency-limiter.ts';
import { type CiMap, CiReference, type CiValue, isArray, isMap } from './values.ts';

/** Of a longer text nobody reads the end: what is shared in a file is written out as often as it is used. */
const LONGEST = 4 * 1024 * 1024;

/**
 * A CI file as YAML again, which reads as the same file; null where it is too long a text. Others have their turns while it
 * is written.
 */
export async function toYaml(file: CiMap): Promise<string | null> {
  const giveWay = givingWay();
  const lines = [];
  let length = 0;
  for (const line of linesOfMap(file, '')) {
    length += line.length;
    if (length > LONGEST) return null;
    lines.push(line);
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return `---${file.size === 0 ? ' {}' : ''}\n${lines.join('')}`;
}

const STEP = '  ';

function* linesOfMap(map: CiMap, indent: string): Generator<string> {
  for (const [key, value] of map) yield* linesOf(`${indent}${oneLine(key)}:`, value, indent);
}

/** What stands behind a key. An array's dashes stand below the key itself. */
function* linesOf(head: string, value: CiValue, indent: string): Generator<string> {
  if (isMap(value) && value.size > 0) {
    yield `${head}\n`;
    yield* linesOfMap(value, indent + STEP);
  } else if (isArray(value) && value.length > 0) {
    yield `${head}\n`;
    yield* linesOfArray(value, indent);
  } else {
    yield `${head}${scalar(value, indent + STEP)}\n`;
  }
}

function* linesOfArray(items: readonly CiValue[], indent: string): Generator<string> {
  for (const item of items) {
    const inside =
      isMap(item) && item.size > 0
        ? linesOfMap(item, indent + STEP)
        : isArray(item) && item.length > 0
          ? linesOfArray(item, indent + STEP)
          : null;
    if (inside === null) yield `${indent}-${scalar(item, indent + STEP)}\n`;
    else yield* dashed(inside, indent);
  }
}

/** The first line begins with a dash, where the others are indented. */
function* dashed(lines: Generator<string>, indent: string): Generator<string> {
  let isFirst = true;
  for (const line of lines) {
    yield isFirst ? `${indent}- ${line.slice(indent.length + STEP.length)}` : line;
    isFirst = false;
  }
}

/** With the blank before it; null is nothing at all. */
function scalar(value: CiValue, indent: string): string {
  if (value === null) return '';
  if (isMap(value)) return ' {}';
  if (isArray(value)) return ' []';
  if (value instanceof CiReference) return ` !reference ${JSON.stringify(value.path)}`;
  if (typeof value !== 'string') return ` ${value}`;
  return ` ${isBlock(value) ? block(value, indent) : oneLine(value)}`;
}

/** Lines as they are. Such a text begins with something that shows how far it is indented. */
function isBlock(text: string): boolean {
  return text.includes('\n') && /^[^\s]/.test(text) && !HIDDEN_IN_LINES.test(text);
}

function block(text: string, indent: string): string {
  const end = text.endsWith('\n\n') ? '|+' : text.endsWith('\n') ? '|' : '|-';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return [end, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

function oneLine(text: string): string {
  if (HIDDEN.test(text)) return JSON.stringify(text);
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Control characters, and what else nobody would see. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufeff]/u;
const HIDDEN_IN_LINES = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/;

/** What YAML takes for something else than text, in either of its versions. */
const WORDS = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** Texts that nothing in front, inside or behind makes anything else of. */
function isPlain(text: string): boolean {
  return (
    /^(?:[\p{L}_/$]|\.\.?\/|\.[\p{L}_])/u.test(text) &&
    !/: | #|[: ]$/.test(text) &&
    !/^\.(?:inf|nan)$/i.test(text) &&
    !WORDS.has(text.toLowerCase())
  );
}

import type { CST, Document, Node, Pair } from 'yaml';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser, Scalar } from 'yaml';
import type { Effort } from './effort-budget.ts';
import { CiFileInvalid, type CiMap, CiReference, type CiValue, Measuring, tooBig } from './values.ts';

/** A file of more characters is refused before it is looked at. */
export const LARGEST_FILE = 1024 * 1024;

/** No line is longer, and no value nested deeper. */
const LONGEST_LINE = 64 * 1024;
const DEEPEST = 100;

/** What the characters that make work may weigh: some 20,000 lines of an honest file. */
const MOST_WEIGHT = 120_000;

/** The entries of a file's map that are looked at at all: more than a pipeline may have jobs. */
const MOST_ENTRIES = 2_500;

/** So many tokens of a document are composed in one turn, and so many at most in one entry, which can't be divided. */
const TOKENS_IN_ONE_TURN = 2_500;
const MOST_TOKENS_OF_ENTRY = 12_000;

/**
 * YAML as people mean it: keys and words like `on` and `yes` are text, and so are numbers that would lose something as
 * such (`1.10`, `0755`, `1e3`), and dates. Merge keys and aliases are resolved. Gives way to others while it reads; throws
 * a CiFileInvalid with the parser's words and the position. What is too large or too deep is refused before all of it is read.
 */
export async function readYaml(text: string, effort: Effort): Promise<CiValue> {
  if (text.length > LARGEST_FILE || isHeavy(text)) throw tooBig();
  const lines = new LineCounter();
  lines.addNewLine(0);
  const documents = await tokensOf(text, lines, effort);
  // A header (`spec`) stands before the file itself.
  const [first, second] = documents;
  if (first === undefined) return null;
  const value = await readDocument(first, lines, effort);
  return second !== undefined && value instanceof Map && value.has('spec')
    ? readDocument(second, lines, effort)
    : value;
}

/** One look at each character, so that what would keep the parser busy is refused before it begins. */
function isHeavy(text: string): boolean {
  let [weight, lineStart] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x0a: // line feed
        if (at - lineStart > LONGEST_LINE) return true;
        lineStart = at + 1;
        weight += 4;
        break;
      case 0x2c: // ,
        weight += 2;
        break;
      case 0x22: // "
      case 0x21: // !
      case 0x26: // &
      case 0x2a: // *
      case 0x3a: // :
      case 0x5b: // [
      case 0x7b: // {
        weight += 1;
    }
  }
  return weight > MOST_WEIGHT || text.length - lineStart > LONGEST_LINE;
}

async function tokensOf(text: string, lines: LineCounter, effort: Effort): Promise<CST.Document[]> {
  const parser = new Parser(lines.addNewLine);
  const documents: CST.Document[] = [];
  const take = (token: CST.Token) => {
    if (token.type === 'error') throw invalidAt(lines, token.offset, token.message);
    if (token.type === 'document') documents.push(token);
  };
  for (const lexeme of new Lexer().lex(text)) {
    if (parser.stack.length > DEEPEST) throw tooBig();
    for (const token of parser.next(lexeme)) take(token);
    if (!effort.spend(1)) continue;
    const [, top] = parser.stack;
    if (top !== undefined && 'items' in top && top.items.length > MOST_ENTRIES) throw tooBig();
    await effort.giveWay();
  }
  for (const token of parser.end()) take(token);
  return documents;
}

/** Composes a document's map some entries at a time: an alias is looked up only afterwards, so that the pieces need not know each other. */
async function readDocument(document: CST.Document, lines: LineCounter, effort: Effort): Promise<CiValue> {
  const pieces = piecesOf(document);
  const reading = new Reading(lines);
  const values: CiValue[] = [];
  for (const piece of pieces) {
    const [composed] = new Composer({ uniqueKeys: false, merge: true, keepSourceTokens: false }).compose([piece]);
    values.push(reading.document(composed as Document.Parsed));
    effort.spend(0);
    await effort.giveWay();
  }
  const value = values.length === 1 ? values[0]! : new Map(values.flatMap((each) => [...(each as CiMap)]));
  new Measuring().check(value);
  return value;
}

function piecesOf(document: CST.Document): CST.Document[] {
  const { value } = document;
  const around = document.start.length + (document.end?.length ?? 0);
  const whole = value?.type !== 'block-map';
  if (around + (whole ? countTokens(value) : 0) > MOST_TOKENS_OF_ENTRY) throw tooBig();
  if (whole) return [document];
  const chunks: CST.BlockMap['items'][] = [[]];
  let tokens = 0;
  for (const item of value.items) {
    const own = countItem(item);
    if (own > MOST_TOKENS_OF_ENTRY) throw tooBig();
    tokens += own;
    if (tokens > TOKENS_IN_ONE_TURN && chunks.at(-1)!.length > 0) {
      chunks.push([]);
      tokens = own;
    }
    chunks.at(-1)!.push(item as never);
  }
  return chunks.map((items, index) => ({
    ...document,
    start: index === 0 ? document.start : [],
    value: { ...value, offset: offsetOf(items[0]!, value.offset), items } as CST.BlockMap,
    ...(index < chunks.length - 1 ? { end: [] } : {}),
  }));
}

function offsetOf({ start, key, sep }: CST.CollectionItem, otherwise: number): number {
  return (start[0] ?? key ?? sep?.[0])?.offset ?? otherwise;
}

function countTokens(token: CST.Token | null | undefined): number {
  if (!token) return 0;
  let count = 1 + ('end' in token ? (token.end?.length ?? 0) : 0);
  if (!('items' in token)) return count;
  for (const item of token.items as CST.CollectionItem[]) count += countItem(item);
  return count;
}

function countItem({ start, key, sep, value }: CST.CollectionItem): number {
  return start.length + (sep?.length ?? 0) + countTokens(key) + countTokens(value);
}

function invalidAt(lines: LineCounter, offset: number, message: string): CiFileInvalid {
  const { line, col } = lines.linePos(offset);
  return new CiFileInvalid(`${message} at line ${line} column ${col}`);
}

/** The tags that change nothing. */
const PLAIN_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

const REFERENCE = '!reference';

/** Turns nodes into values, in the order of the file: an alias means the last anchor of its name before it. */
class Reading {
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, CiValue>();
  /** What merge keys may copy altogether. */
  #copies = 100_000;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  document({ errors, contents }: Document.Parsed): CiValue {
    const [error] = errors;
    if (error !== undefined) throw invalidAt(this.#lines, error.pos[0], error.message);
    return contents === null ? null : this.#value(contents);
  }

  #value(node: Node | null): CiValue {
    if (node === null) return null;
    if (isAlias(node)) {
      const value = this.#anchors.get(node.source);
      if (value === undefined) throw this.#invalid(node, `Unknown alias: ${node.source}`);
      return value;
    }
    const value = this.#collectionOrScalar(node);
    if ('anchor' in node && node.anchor) this.#anchors.set(node.anchor, value);
    return value;
  }

  #collectionOrScalar(node: Node): CiValue {
    const { tag } = node as { readonly tag?: string };
    if (tag === REFERENCE) return this.#reference(node);
    if (tag !== undefined && !PLAIN_TAG.test(tag)) throw this.#invalid(node, `Tag ${tag} is not supported`);
    if (isMap(node)) return this.#map(node.items as Pair<Node, Node | null>[]);
    if (isSeq(node)) return node.items.map((item) => this.#value(item as Node));
    if (isScalar(node)) return this.#scalar(node);
    throw this.#invalid(node, 'Unexpected content');
  }

  #reference(node: Node): CiReference {
    const path = isSeq(node) ? node.items.map((item) => (isScalar(item) ? String(item.value) : null)) : [];
    if (path.length === 0 || path.includes(null)) throw this.#invalid(node, '!reference needs an array of keys');
    return new CiReference(path as string[]);
  }

  #scalar(node: Scalar): CiValue {
    const { value, source } = node;
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return String(value) === source ? value : (source ?? String(value));
    if (typeof value !== 'string') throw this.#invalid(node, 'Unexpected content');
    if (value.includes('\0')) throw this.#invalid(node, 'Control characters are not allowed');
    return value.toWellFormed();
  }

  /** What the map itself says counts before what is merged into it; of its own keys the last one. */
  #map(items: readonly Pair<Node, Node | null>[]): CiMap {
    const map = new Map<string, CiValue>();
    const merged: CiMap[] = [];
    for (const { key, value } of items) {
      if (isMergeKey(key)) merged.push(...this.#mergeSources(key, this.#value(value)));
      else map.set(this.#key(key), this.#value(value));
    }
    if (merged.length === 0) return map;
    const whole = new Map<string, CiValue>();
    for (const source of merged) {
      this.#copies -= source.size;
      if (this.#copies < 0) throw tooBig();
      for (const [key, value] of source) if (!whole.has(key)) whole.set(key, value);
    }
    for (const [key, value] of map) whole.set(key, value);
    return whole;
  }

  #mergeSources(key: Node, value: CiValue): CiMap[] {
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every((source) => source instanceof Map)) {
      throw this.#invalid(key, 'Merge sources must be maps or map aliases');
    }
    return sources as CiMap[];
  }

  #key(node: Node): string {
    if (!isScalar(node)) throw this.#invalid(node, 'Keys must be plain texts');
    const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    if (text.includes('\0')) throw this.#invalid(node, 'Control characters are not allowed');
    return text.toWellFormed();
  }

  #invalid(node: Node, message: string): CiFileInvalid {
    return invalidAt(this.#lines, node.range?.[0] ?? 0, message);
  }
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.source === '<<';
}

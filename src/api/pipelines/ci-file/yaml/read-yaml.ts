import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap as isMapNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  Scalar,
} from 'yaml';
import type { EffortBudget } from './effort-budget.ts';
import { CiFileError, type CiMap, CiReference, type CiValue, fileTooLarge, isMap, SizeCheck } from './values.ts';

/** Longer files are rejected before they are parsed. */
export const MAX_FILE_LENGTH = 1024 * 1024;

/** Limits for line length and nesting depth. */
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_DEPTH = 100;

/** Limit for the weights of all structural characters of a file (`isTooComplex`); enough for about 20,000 ordinary lines. */
const MAX_WEIGHT = 120_000;

/** Limit for top-level entries: more than the number of jobs in a pipeline. */
const MAX_ENTRIES = 2_500;

/** Number of tokens per chunk of `composeDocument`, and the limit per top-level entry, because an entry cannot be split. */
const TOKENS_PER_CHUNK = 2_500;
const MAX_TOKENS_PER_ENTRY = 12_000;

/** The documents of a file; all but the first two are ignored. */
export interface YamlFile {
  /** A first document with `spec`; null if there is none. */
  readonly header: CiMap | null;
  readonly content: CiValue;
}

/**
 * Parses YAML. Keys and words such as `on` and `yes` are strings, and so are dates and numbers whose notation would be lost
 * (`1.10`, `0755`, `1e3`). Merge keys and aliases are resolved. Throws a CiFileError with the parser's
 * message and position. Files that are too large or too deep are rejected early.
 */
export function parseYaml(text: string, effort: EffortBudget, notes = new YamlNotes()): YamlFile {
  if (text.length > MAX_FILE_LENGTH || isTooComplex(text)) throw fileTooLarge();
  const lines = new LineCounter();
  lines.addNewLine(0);
  const values: CiValue[] = [];
  for (const document of parseDocuments(text, lines, effort)) {
    const value = composeDocument(document, new NodeConverter(lines, notes, getLengthWithoutFinalBreak(text)));
    if (!isBlankDocument(value)) values.push(value);
    if (values.length === 2) break;
  }
  const [first = null, second] = values;
  if (second !== undefined && isMap(first) && first.has('spec')) return { header: first, content: second };
  return { header: null, content: first };
}

function isBlankDocument(value: CiValue): boolean {
  return value === null || value === false || value === '' || (isMap(value) && value.size === 0);
}

/** Returns whether a file would take too long to parse, from one scan of its characters. */
function isTooComplex(text: string): boolean {
  let [weight, lineStart] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x0a: // line feed
        if (index - lineStart > MAX_LINE_LENGTH) return true;
        lineStart = index + 1;
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
  return weight > MAX_WEIGHT || text.length - lineStart > MAX_LINE_LENGTH;
}

/** The members of the lexer that its subclass needs; the library's types hide them. */
interface LexerState {
  indentNext: number;
  parseQuotedScalar(): Generator<string, string | null, unknown>;
  parseFlowCollection(): Generator<string, string | null, unknown>;
  lex(source: string): Generator<string>;
}

const OpenLexer = Lexer as unknown as new () => LexerState;

/** Allows quoted texts and flow collections to continue at any column, as libyaml does and people rely on. */
class LenientLexer extends OpenLexer {
  override parseQuotedScalar() {
    return this.#parseAtAnyIndent(() => super.parseQuotedScalar());
  }

  override parseFlowCollection() {
    return this.#parseAtAnyIndent(() => super.parseFlowCollection());
  }

  *#parseAtAnyIndent(parse: () => ReturnType<LexerState['parseQuotedScalar']>) {
    const { indentNext } = this;
    this.indentNext = 0;
    const state = yield* parse();
    this.indentNext = indentNext;
    return state;
  }
}

function parseDocuments(text: string, lines: LineCounter, effort: EffortBudget): CST.Document[] {
  const parser = new Parser(lines.addNewLine);
  const documents: CST.Document[] = [];
  const handleToken = (token: CST.Token) => {
    if (token.type === 'error') throw createErrorAt(lines, token.offset, token.message);
    if (token.type === 'document') documents.push(token);
  };
  for (const lexeme of new LenientLexer().lex(text)) {
    if (parser.stack.length > MAX_DEPTH) throw fileTooLarge();
    for (const token of parser.next(lexeme)) handleToken(token);
    effort.spend(1);
    const [, top] = parser.stack;
    if (top !== undefined && 'items' in top && top.items.length > MAX_ENTRIES) throw fileTooLarge();
  }
  for (const token of parser.end()) handleToken(token);
  return documents;
}

/**
 * Composes a document in chunks, because the library's time grows faster than the document, and returns its value. Aliases are resolved
 * later, so that chunks are independent.
 */
function composeDocument(document: CST.Document, converter: NodeConverter): CiValue {
  const documentParts = splitIntoChunks(document);
  const values: CiValue[] = [];
  for (const documentPart of documentParts) {
    const [composed] = new Composer({ uniqueKeys: false, merge: true, keepSourceTokens: false }).compose([
      documentPart,
    ]);
    values.push(converter.convertDocument(composed as Document.Parsed));
  }
  const value = values.length === 1 ? values[0]! : new Map(values.flatMap((each) => [...(each as CiMap)]));
  new SizeCheck().check(value);
  return value;
}

function splitIntoChunks(document: CST.Document): CST.Document[] {
  const { value } = document;
  const markerTokens = document.start.length + (document.end?.length ?? 0);
  const isSingleChunk = value?.type !== 'block-map';
  if (markerTokens + (isSingleChunk ? countTokens(value) : 0) > MAX_TOKENS_PER_ENTRY) throw fileTooLarge();
  if (isSingleChunk) return [document];
  const chunks: CST.BlockMap['items'][] = [[]];
  let tokens = 0;
  for (const item of value.items) {
    const itemTokens = countItem(item);
    if (itemTokens > MAX_TOKENS_PER_ENTRY) throw fileTooLarge();
    tokens += itemTokens;
    if (tokens > TOKENS_PER_CHUNK && chunks.at(-1)!.length > 0) {
      chunks.push([]);
      tokens = itemTokens;
    }
    chunks.at(-1)!.push(item as never);
  }
  return chunks.map((items, index) => ({
    ...document,
    start: index === 0 ? document.start : [],
    value: { ...value, offset: getOffset(items[0]!, value.offset), items } as CST.BlockMap,
    ...(index < chunks.length - 1 ? { end: [] } : {}),
  }));
}

function getOffset({ start, key, sep }: CST.CollectionItem, fallback: number): number {
  return (start[0] ?? key ?? sep?.[0])?.offset ?? fallback;
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

function createErrorAt(lines: LineCounter, offset: number, message: string): CiFileError {
  const { line, col } = lines.linePos(offset);
  return new CiFileError(`${message} at line ${line} column ${col}`);
}

const REFERENCE = '!reference';
const RUBY_TAG = /^(?:!ruby|tag:ruby\.yaml\.org)/;

/** Returns the length of a text whose last line has content but no line break, else null. */
function getLengthWithoutFinalBreak(text: string): number | null {
  return /[\r\n]/.test(text.slice(text.trimEnd().length)) ? null : text.length;
}

/** Converts nodes to values in file order: an alias refers to the last anchor of its name before it. */
class NodeConverter {
  readonly #lines: LineCounter;
  readonly #notes: YamlNotes;
  readonly #lengthWithoutFinalBreak: number | null;
  /** The keys of the maps that contain the current value. */
  readonly #path: string[] = [];
  readonly #anchors = new Map<string, CiValue>();
  /** Remaining number of keys that merge keys may copy. */
  #remainingCopies = 100_000;

  constructor(lines: LineCounter, notes: YamlNotes, lengthWithoutFinalBreak: number | null) {
    this.#lines = lines;
    this.#notes = notes;
    this.#lengthWithoutFinalBreak = lengthWithoutFinalBreak;
  }

  convertDocument({ errors, contents }: Document.Parsed): CiValue {
    const [error] = errors;
    if (error !== undefined) throw createErrorAt(this.#lines, error.pos[0], error.message);
    return contents === null ? null : this.#convertValue(contents);
  }

  #convertValue(node: Node | null): CiValue {
    if (node === null) return null;
    if (isAlias(node)) {
      const value = this.#anchors.get(node.source);
      if (value === undefined) throw this.#createError(node, `Unknown alias: ${node.source}`);
      return value;
    }
    const value = this.#convertNode(node);
    if ('anchor' in node && node.anchor) this.#anchors.set(node.anchor, value);
    return value;
  }

  #convertNode(node: Node): CiValue {
    const { tag } = node as { readonly tag?: string };
    if (tag === REFERENCE) return this.#convertReference(node);
    if (tag !== undefined && RUBY_TAG.test(tag)) throw this.#createError(node, `Tag ${tag} is not supported`);
    if (isMapNode(node)) return this.#convertMap(node.items as Pair<Node, Node | null>[]);
    if (isSeq(node)) return node.items.map((item) => this.#convertValue(item as Node));
    if (isScalar(node)) return this.#convertScalar(node);
    throw this.#createError(node, 'Unexpected content');
  }

  #convertReference(node: Node): CiReference {
    if (isScalar(node)) return new CiReference(this.#convertScalar(node));
    return new CiReference(isSeq(node) ? node.items.map((item) => this.#convertValue(item as Node)) : new Map());
  }

  #convertScalar(node: Scalar): CiValue {
    const { value, source } = node;
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return String(value) === source ? value : (source ?? String(value));
    if (typeof value !== 'string') throw this.#createError(node, 'Unexpected content');
    if (value.includes('\0')) throw this.#createError(node, 'Control characters are not allowed');
    // The parser adds a line break to a block that ends with the file; libyaml adds none.
    const hasAddedBreak = isBlock(node) && node.range?.[1] === this.#lengthWithoutFinalBreak && value.endsWith('\n');
    return (hasAddedBreak ? value.slice(0, -1) : value).toWellFormed();
  }

  /** Converts a map in file order: a later key overrides an earlier one, whether it is the map's own or merged by `<<`. */
  #convertMap(items: readonly Pair<Node, Node | null>[]): CiMap {
    const map = new Map<string, CiValue>();
    for (const { key: keyNode, value: valueNode } of items) {
      const key = this.#convertKey(keyNode);
      if (isPlain(keyNode) && this.#path.length === 0) this.#notes.noteName(key);
      this.#path.push(key);
      const value = this.#convertValue(valueNode);
      if (isPlain(valueNode) && typeof value === 'string') this.#noteVariable(value);
      this.#path.pop();
      const sources = key === '<<' && isMergeSource(value) ? [value].flat().reverse() : null;
      if (sources === null) map.set(key, value);
      // In a list the first source wins.
      else for (const source of sources as CiMap[]) this.#merge(map, source);
    }
    return map;
  }

  /** Notes the value of a variable, which is `variables: KEY: value` or `variables: KEY: {value: value}`. */
  #noteVariable(text: string): void {
    const path = this.#path.at(-1) === 'value' ? this.#path.slice(0, -1) : this.#path;
    if (path.at(-2) === 'variables') this.#notes.noteVariable(path.join(':'), text);
  }

  #merge(map: Map<string, CiValue>, source: CiMap): void {
    this.#remainingCopies -= source.size;
    if (this.#remainingCopies < 0) throw fileTooLarge();
    for (const [key, value] of source) map.set(key, value);
  }

  #convertKey(node: Node): string {
    if (!isScalar(node)) throw this.#createError(node, 'Keys must be plain texts');
    const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    if (text.includes('\0')) throw this.#createError(node, 'Control characters are not allowed');
    return text.toWellFormed();
  }

  #createError(node: Node, message: string): CiFileError {
    return createErrorAt(this.#lines, node.range?.[0] ?? 0, message);
  }
}

function isBlock({ type }: Scalar): boolean {
  return type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
}

function isPlain(node: Node | null): boolean {
  return isScalar(node) && node.type === Scalar.PLAIN && (node as { tag?: string }).tag === undefined;
}

/** Returns whether `<<` merges the value: a map or a list of maps. With any other value it is an ordinary key. */
function isMergeSource(value: CiValue): boolean {
  return isMap(value) || (Array.isArray(value) && value.every(isMap));
}

/** Notes about unquoted texts that YAML 1.1, which GitLab uses, reads as values of other types. */
export class YamlNotes {
  /** Top-level names that are not texts in GitLab. */
  readonly otherTypeNames = new Set<string>();
  readonly #warnings: string[] = [];

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  noteName(text: string): void {
    if (readAsOtherType(text) !== null) this.otherTypeNames.add(text);
  }

  /** Adds a warning if GitLab reads a variable's value differently. `location` is the place in the file. */
  noteVariable(location: string, text: string): void {
    const reading = readAsOtherType(text);
    if (reading === null || reading === text || this.#warnings.length >= MAX_WARNINGS) return;
    this.#warnings.push(`${location} is the text ${text}; the reference reads ${reading}`);
  }
}

const MAX_WARNINGS = 25;

/** Returns the text of the value that YAML 1.1 reads from a plain text; null if it reads a text. */
export function readAsOtherType(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  if (/^(?:yes|true|on)$/i.test(text)) return 'true';
  if (/^(?:no|false|off)$/i.test(text)) return 'false';
  if (/^(?:~|null)$/i.test(text)) return 'null';
  if (/^\d{4}-\d{1,2}-\d{1,2}$/.test(text)) return 'a date';
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/s.exec(text)!;
  const number = readNumber(digits.replaceAll(/[_,]/g, ''), digits);
  return number === null ? null : `${sign === '-' ? '-' : ''}${number}`;
}

const MAX_LENGTH = 64;

function readNumber(plainDigits: string, digits: string): string | null {
  if (/^0[0-7_,]+$/.test(digits)) return String(Number.parseInt(plainDigits, 8));
  if (/^0x[\da-f_,]+$/i.test(digits) || /^0b[01_,]+$/.test(digits)) return String(Number(plainDigits));
  if (/^(?:0|[1-9](?:[_,]?\d)*)$/.test(digits)) return plainDigits;
  if (/^(?:\d[\d_,]*)?\.\d*(?:e[-+]\d+)?$/i.test(digits) && /\d/.test(digits)) return String(Number(plainDigits));
  if (!/^\d[\d_]*(?::[0-5]?\d){1,2}$/.test(digits)) return null;
  const [hours = 0, minutes = 0, seconds = 0] = plainDigits.split(':').map(Number);
  return String(hours * 3600 + minutes * 60 + seconds);
}

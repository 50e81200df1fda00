import { trimEndCharacters } from '#text/trim.ts';
import { decodeName } from '../ref-names.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** Author, committer or tagger, with the time. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** `YYYY-MM-DDTHH:MM:SS.000±HH:MM`, in the offset of the commit. */
  readonly date: string;
  /** The same time in Unix seconds. */
  readonly seconds: number;
}

export interface Commit {
  readonly id: string;
  readonly treeId: string;
  readonly parentIds: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  /** Unchanged, decoded by the commit's encoding. Bytes that cannot be decoded are U+FFFD. */
  readonly message: string;
  /** The first line that is not blank; `No commit message` when there is none. */
  readonly title: string;
  /** Set if the stored message is longer than `message`. */
  readonly isTruncated?: true;
}

/** An annotated tag. */
export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly targetId: string;
  readonly targetType: ObjectType;
  /** Null for old tags, which have no tagger. */
  readonly tagger: Signature | null;
  /** Without signature and trailing line feeds. */
  readonly message: string;
}

export interface TreeEntry {
  /** Six octal digits, as on the wire: `100644`, `100755`, `120000`, `160000`, `040000`. */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly id: string;
  /** See `ref-names.ts` for names that are not UTF-8. */
  readonly name: string;
}

/** Parses a commit object. For malformed commits it returns the parts that can be parsed, never an error. */
export function parseCommit(id: string, content: Buffer): Commit {
  const { headers, body } = splitHeaders(content);
  const decode = createDecoder(findHeader(headers, 'encoding')?.toString('latin1'));
  const message = decode(body);
  return {
    id,
    treeId: findHeader(headers, 'tree')?.toString('latin1') ?? '',
    parentIds: headers.filter((header) => header.key === 'parent').map((header) => header.value.toString('latin1')),
    author: parseSignature(findHeader(headers, 'author'), decode),
    committer: parseSignature(findHeader(headers, 'committer'), decode),
    message,
    title: getMessageTitle(message),
  };
}

/** Returns the author and message of a commit as stored, converted to UTF-8. */
export function parseAuthorship(content: Buffer): { readonly author: Buffer; readonly message: Buffer } {
  const { headers, body: message } = splitHeaders(content);
  const author = findHeader(headers, 'author') ?? Buffer.from('unknown <unknown> 0 +0000');
  const encoding = findHeader(headers, 'encoding');
  if (encoding === undefined) return { author, message };
  const decode = createDecoder(encoding.toString('latin1'));
  return { author: Buffer.from(decode(author)), message: Buffer.from(decode(message)) };
}

/** Parses an annotated tag. Missing headers give empty values, never an error. */
export function parseTag(id: string, content: Buffer): Tag {
  const { headers, body } = splitHeaders(content);
  const decode = createDecoder(findHeader(headers, 'encoding')?.toString('latin1'));
  const tagger = findHeader(headers, 'tagger');
  return {
    id,
    name: decodeName(findHeader(headers, 'tag') ?? Buffer.alloc(0)),
    targetId: findHeader(headers, 'object')?.toString('latin1') ?? '',
    targetType: (findHeader(headers, 'type')?.toString('latin1') ?? 'commit') as ObjectType,
    tagger: tagger === undefined ? null : parseSignature(tagger, decode),
    message: trimEndCharacters(stripSignature(decode(body)), '\n'),
  };
}

/** Returns the entries of a tree object in git's order. Throws if the object ends within an entry. */
export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let offset = 0; offset < content.length; ) {
    const spaceIndex = content.indexOf(0x20, offset);
    const nulIndex = content.indexOf(0, spaceIndex);
    if (spaceIndex < 0 || nulIndex < 0 || nulIndex + 21 > content.length)
      throw new Error('A tree object ends within an entry');
    // `<mode> <name>\0`, then the id in 20 bytes.
    const mode = toCanonicalMode(content.toString('latin1', offset, spaceIndex));
    entries.push({
      mode,
      type: mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob',
      id: content.toString('hex', nulIndex + 1, nulIndex + 21),
      name: decodeName(content.subarray(spaceIndex + 1, nulIndex)),
    });
    offset = nulIndex + 21;
  }
  return entries;
}

const FILE_TYPE_MASK = 0o170000;
const OWNER_EXECUTE_BIT = 0o100;

/**
 * Returns git's canonical form of a mode, which of a file's permissions keeps only the owner's execute bit. Trees
 * written by old programs have other modes, such as `100664`.
 */
export function toCanonicalMode(mode: string): string {
  const bits = Number.parseInt(mode, 8);
  switch (bits & FILE_TYPE_MASK) {
    case 0o100000:
      return bits & OWNER_EXECUTE_BIT ? '100755' : '100644';
    case 0o120000:
      return '120000';
    case 0o040000:
      return '040000';
    // Submodules, and types that git does not know.
    default:
      return '160000';
  }
}

/** Returns the first line that is not blank; `No commit message` if there is none. */
export function getMessageTitle(message: string): string {
  const line = /[^\s][^\r\n]*/.exec(message)?.[0];
  return line ?? 'No commit message';
}

interface Header {
  readonly key: string;
  readonly value: Buffer;
}

function splitHeaders(content: Buffer): { headers: Header[]; body: Buffer } {
  const headers: Header[] = [];
  let offset = 0;
  while (offset < content.length) {
    const newline = content.indexOf(0x0a, offset);
    const end = newline < 0 ? content.length : newline;
    if (end === offset) return { headers, body: content.subarray(end + 1) };
    const spaceIndex = content.indexOf(0x20, offset);
    // A line that begins with a space continues the previous header (a signature). It is skipped: no header that is
    // used here has such lines.
    if (spaceIndex > offset && spaceIndex < end) {
      headers.push({
        key: content.toString('latin1', offset, spaceIndex),
        value: content.subarray(spaceIndex + 1, end),
      });
    }
    offset = end + 1;
  }
  return { headers, body: Buffer.alloc(0) };
}

function findHeader(headers: readonly Header[], key: string): Buffer | undefined {
  return headers.find((header) => header.key === key)?.value;
}

type Decode = (bytes: Buffer) => string;

function createDecoder(label: string | undefined): Decode {
  if (label === undefined || /^utf-?8$/i.test(label)) return (bytes) => bytes.toString('utf8');
  try {
    const textDecoder = new TextDecoder(label);
    return (bytes) => textDecoder.decode(bytes);
  } catch {
    return (bytes) => bytes.toString('utf8');
  }
}

function parseSignature(line: Buffer | undefined, decode: Decode): Signature {
  const text = line === undefined ? '' : decode(line);
  const match = /^([^<]*)<([^>]*)>[^\d-]*(-?\d+)?(?: ([+-]\d{4,})(?!\d))?/.exec(text);
  const seconds = parseSeconds(match?.[3]);
  return {
    name: (match?.[1] ?? text).trim(),
    email: (match?.[2] ?? '').trim(),
    date: formatDate(seconds, match?.[4] ?? '+0000'),
    seconds,
  };
}

/** Last accepted time in Unix seconds: a day before the end of 9999, so that no offset gives a year of five digits. */
const LAST_SECOND = 253_402_300_799 - 86_400;

function parseSeconds(text: string | undefined): number {
  const seconds = Number(text ?? 0);
  return Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= LAST_SECOND ? seconds : 0;
}

/** Formats Unix seconds in an offset such as `-0730`. Invalid offsets count as UTC. */
export function formatDate(seconds: number, offset: string): string {
  const match = /^([+-])(\d{2})(\d{2})$/.exec(offset);
  const minutes = match === null ? 0 : Number(match[2]) * 60 + Number(match[3]);
  if (match === null || minutes === 0 || minutes >= 24 * 60 || Number(match[3]) >= 60)
    return `${new Date(seconds * 1000).toISOString().slice(0, -1)}+00:00`;
  const offsetMinutes = match[1] === '-' ? -minutes : minutes;
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, -1);
  return `${local}${match[1]}${match[2]}:${match[3]}`;
}

function stripSignature(message: string): string {
  const start = /^-----BEGIN (?:PGP|SSH) (?:SIGNATURE|MESSAGE)-----/m.exec(message);
  return start === null ? message : message.slice(0, start.index);
}

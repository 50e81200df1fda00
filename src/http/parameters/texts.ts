import { Type } from 'typebox';
import type { ParameterType, Problems } from './parameter-type.ts';

/**
 * Texts, each kind with its limit (contract/conventions.md §3 "Limits of texts"): it is measured before anything else is
 * done with the value.
 */

const MEBIBYTE = 1024 * 1024;
const NUL = '\u0000';

/** The most that a text may hold, and what whoever sends more is told. */
interface Limit {
  /** The most UTF-16 units that a text within the limit can have: what is longer needs no closer look. */
  readonly units: number;
  /** For the schema, in characters. */
  readonly characters: number;
  readonly holds: (value: string) => boolean;
  readonly tooLong: string;
  readonly refuse: (name: string, problems: Problems, value: string) => null;
}

function inBytes(most: number): Pick<Limit, 'units' | 'characters' | 'holds'> {
  return { units: most, characters: most, holds: (value) => value.length * 3 <= most || byteLength(value) <= most };
}

function inCharacters(most: number): Pick<Limit, 'units' | 'characters' | 'holds'> {
  return { units: 2 * most, characters: most, holds: (value) => value.length <= most || [...value].length <= most };
}

const byteLength = (value: string) => Buffer.byteLength(value, 'utf8');

function limited({ units, characters, holds, tooLong, refuse }: Limit): ParameterType<string> {
  const isTooLong = (raw: unknown): raw is string => typeof raw === 'string' && (raw.length > units || !holds(raw));
  return {
    tooLong: (raw, name) => (isTooLong(raw) ? `${name} ${tooLong}` : null),
    schema: Type.String({ maxLength: characters }),
    blank: '',
    read(raw, name, problems) {
      return isTooLong(raw) ? refuse(name, problems, raw) : readText(raw, name, problems);
    },
  };
}

/**
 * Any text by the rules of coercion, without a limit: for types that know their few values. Half a character, which JSON can
 * carry, is what a database would keep in its place: what was sent is what will be found again.
 */
export function readText(raw: unknown, name: string, problems: Problems): string | null {
  if (raw === null) return null;
  if (typeof raw === 'string') return raw.includes(NUL) ? problems.invalid(name) : raw.toWellFormed();
  if (typeof raw === 'boolean' || isExact(raw)) return String(raw);
  return problems.invalid(name);
}

/** Beyond ±(2^53-1) JSON's integers are no longer what the client wrote (contract/conventions.md §1 stage 3). */
function isExact(raw: unknown): raw is number {
  return Number.isSafeInteger(raw) || (Number.isFinite(raw) && !Number.isInteger(raw));
}

/** Text of so many bytes of UTF-8; more is a wrong parameter. */
export function textOf(bytes: number): ParameterType<string> {
  const tooLong = `is too long (maximum is ${bytes} bytes)`;
  return limited({ ...inBytes(bytes), tooLong, refuse: (name, problems) => problems.add(`${name} ${tooLong}`) });
}

/** Text of a record's field; more is told as the record would. */
function fieldOf(size: Pick<Limit, 'units' | 'characters' | 'holds'>, unit: string): ParameterType<string> {
  const tooLong = `is too long (maximum is ${size.characters} ${unit})`;
  return limited({ ...size, tooLong, refuse: (name, problems) => problems.addToField(name, tooLong) });
}

/** Any text that is none of the kinds below. */
export const string = textOf(4096);

/** A branch, a tag, a SHA, or an expression that leads to a commit. */
export const refName = textOf(1024);

/** The path of a file or directory in a repository. */
export const pathText = textOf(4096);

/** What is searched with: words, wildcards, regular expressions. */
export const expression = textOf(1024);

/** The message of a commit or tag. */
export const message = textOf(MEBIBYTE);

/** A record's name or title. */
export const title = fieldOf(inCharacters(255), 'characters');

/** A record's description or note. */
export const description = fieldOf(inBytes(MEBIBYTE), 'bytes');

/** A long text of a record, of so many bytes; more is told with the size that it has (contract/planning.md §3.6). */
export function sizedText(bytes: number): ParameterType<string> {
  const most = humanSize(bytes);
  return limited({
    ...inBytes(bytes),
    tooLong: `is too long. The maximum size is ${most}.`,
    refuse: (name, problems, value) =>
      problems.addToField(name, `is too long (${humanSize(byteLength(value))}). The maximum size is ${most}.`),
  });
}

/** `1.1 MB`: at most three digits that count, of units of 1024. */
export function humanSize(bytes: number): string {
  const unit = bytes < MEBIBYTE ? 1024 : MEBIBYTE;
  return `${Number((bytes / unit).toPrecision(3))} ${unit === MEBIBYTE ? 'MB' : 'KB'}`;
}

/** The description of an issue, merge request, epic or milestone. */
export const longDescription = sizedText(MEBIBYTE);

/**
 * Text whose length is a rule of its family, told in the family's words: more than so many characters (or bytes, where
 * these are fewer) are refused there. A longer text comes to the rule cut behind the limit, as wrong as it was.
 */
export function ruledText(characters: number): ParameterType<string> {
  const most = 2 * characters + 2;
  return {
    schema: Type.String({ maxLength: characters }),
    blank: '',
    read: (raw, name, problems) =>
      readText(typeof raw === 'string' && raw.length > most ? raw.slice(0, most) : raw, name, problems),
  };
}

/** The content of a file, of which a body may hold as much as the setting `max_commit_request_bytes` says: by default this. */
export const fileContent: ParameterType<string> = {
  schema: Type.String({ maxLength: 300 * MEBIBYTE }),
  read: readText,
};

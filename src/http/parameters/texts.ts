import { Type } from 'typebox';
import type { ParameterType, Problems } from './parameter-type.ts';

/**
 * Text types, each with a length limit (contract/conventions.md §3 "Limits of texts"), which is checked before anything else
 * is done with the value.
 */

const MEBIBYTE = 1024 * 1024;
const NUL = '\u0000';

/** A length limit, and how a longer text is reported. */
interface TextLimit {
  /** The maximum number of UTF-16 units of a text within the limit, for a fast check. */
  readonly units: number;
  /** For the schema, in characters. */
  readonly characters: number;
  readonly holds: (value: string) => boolean;
  readonly tooLong: string;
  readonly report: (name: string, problems: Problems, value: string) => null;
}

function byteLimit(most: number): Pick<TextLimit, 'units' | 'characters' | 'holds'> {
  return { units: most, characters: most, holds: (value) => value.length * 3 <= most || byteLength(value) <= most };
}

function characterLimit(most: number): Pick<TextLimit, 'units' | 'characters' | 'holds'> {
  return { units: 2 * most, characters: most, holds: (value) => value.length <= most || [...value].length <= most };
}

const byteLength = (value: string) => Buffer.byteLength(value, 'utf8');

function limitedType({ units, characters, holds, tooLong, report }: TextLimit): ParameterType<string> {
  const isTooLong = (raw: unknown): raw is string => typeof raw === 'string' && (raw.length > units || !holds(raw));
  return {
    tooLong: (raw, name) => (isTooLong(raw) ? `${name} ${tooLong}` : null),
    schema: Type.String({ maxLength: characters }),
    blank: '',
    read(raw, name, problems) {
      return isTooLong(raw) ? report(name, problems, raw) : readText(raw, name, problems);
    },
  };
}

/**
 * Converts a value to text by the rules of coercion, without a limit: for types with a fixed list of values. Unpaired surrogates,
 * which JSON can contain, are replaced as the database would replace them, so that later searches find the text.
 */
export function readText(raw: unknown, name: string, problems: Problems): string | null {
  if (raw === null) return null;
  if (typeof raw === 'string') return raw.includes(NUL) ? problems.addInvalid(name) : raw.toWellFormed();
  if (typeof raw === 'boolean' || isExactNumber(raw)) return String(raw);
  return problems.addInvalid(name);
}

/** Whether a number is exact: JSON integers beyond ±(2^53-1) lose precision (contract/conventions.md §1 stage 3). */
function isExactNumber(raw: unknown): raw is number {
  return Number.isSafeInteger(raw) || (Number.isFinite(raw) && !Number.isInteger(raw));
}

/** Text of at most so many bytes of UTF-8; a longer one is an invalid parameter. */
export function limitedText(bytes: number): ParameterType<string> {
  const tooLong = `is too long (maximum is ${bytes} bytes)`;
  return limitedType({ ...byteLimit(bytes), tooLong, report: (name, problems) => problems.add(`${name} ${tooLong}`) });
}

/** Text of a field; a longer one is a validation error of the field. */
function fieldText(size: Pick<TextLimit, 'units' | 'characters' | 'holds'>, unit: string): ParameterType<string> {
  const tooLong = `is too long (maximum is ${size.characters} ${unit})`;
  return limitedType({ ...size, tooLong, report: (name, problems) => problems.addToField(name, tooLong) });
}

/** Text without a more specific type below. */
export const string = limitedText(4096);

/** A branch, a tag, a SHA, or a revision expression. */
export const refName = limitedText(1024);

/** The path of a file or directory in a repository. */
export const pathText = limitedText(4096);

/** A search: words, wildcards, regular expressions. */
export const searchExpression = limitedText(1024);

/** The message of a commit or tag. */
export const commitMessage = limitedText(MEBIBYTE);

/** A name or title. */
export const title = fieldText(characterLimit(255), 'characters');

/** A description or note. */
export const description = fieldText(byteLimit(MEBIBYTE), 'bytes');

/** A long text field of at most so many bytes; the error contains the actual size (contract/planning.md §3.6). */
export function sizedText(bytes: number): ParameterType<string> {
  const most = formatBytes(bytes);
  return limitedType({
    ...byteLimit(bytes),
    tooLong: `is too long. The maximum size is ${most}.`,
    report: (name, problems, value) =>
      problems.addToField(name, `is too long (${formatBytes(byteLength(value))}). The maximum size is ${most}.`),
  });
}

/** Formats a size as `1.1 MB`, with at most three significant digits, in units of 1024. */
export function formatBytes(bytes: number): string {
  const unit = bytes < MEBIBYTE ? 1024 : MEBIBYTE;
  return `${Number((bytes / unit).toPrecision(3))} ${unit === MEBIBYTE ? 'MB' : 'KB'}`;
}

/** The description of an issue, merge request, epic or milestone. */
export const longDescription = sizedText(MEBIBYTE);

/**
 * Text whose length the domain validates, with its own message. A longer text is cut just above the limit, so that it still
 * fails that validation; its blanks are replaced, so that it fails after trimming too.
 */
export function validatedText(characters: number): ParameterType<string> {
  const most = 2 * characters + 2;
  const cut = (text: string) => (text.length > most ? text.slice(0, most).replaceAll(/\s/g, '_') : text);
  return {
    schema: Type.String({ maxLength: characters }),
    blank: '',
    read: (raw, name, problems) => readText(typeof raw === 'string' ? cut(raw) : raw, name, problems),
  };
}

/** The content of a file. The setting `max_commit_request_bytes` limits the body; this is its default. */
export const fileContent: ParameterType<string> = {
  schema: Type.String({ maxLength: 300 * MEBIBYTE }),
  read: readText,
};

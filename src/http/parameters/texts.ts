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
  readonly maxUtf16Units: number;
  /** Maximum length in characters, for the schema. */
  readonly characters: number;
  readonly isWithinLimit: (value: string) => boolean;
  /** The message without the parameter's name, which precedes it. */
  readonly tooLongText: string;
  readonly report: (name: string, problems: Problems, value: string) => null;
}

function createByteLimit(maxBytes: number): Pick<TextLimit, 'maxUtf16Units' | 'characters' | 'isWithinLimit'> {
  return {
    maxUtf16Units: maxBytes,
    characters: maxBytes,
    // A UTF-16 unit takes at most three bytes of UTF-8.
    isWithinLimit: (value) => value.length * 3 <= maxBytes || byteLength(value) <= maxBytes,
  };
}

function createCharacterLimit(
  maxCharacters: number,
): Pick<TextLimit, 'maxUtf16Units' | 'characters' | 'isWithinLimit'> {
  return {
    // A character is at most two UTF-16 units.
    maxUtf16Units: 2 * maxCharacters,
    characters: maxCharacters,
    isWithinLimit: (value) => value.length <= maxCharacters || [...value].length <= maxCharacters,
  };
}

const byteLength = (value: string) => Buffer.byteLength(value, 'utf8');

function createLimitedType({
  maxUtf16Units,
  characters,
  isWithinLimit,
  tooLongText,
  report,
}: TextLimit): ParameterType<string> {
  const isTooLong = (raw: unknown): raw is string =>
    typeof raw === 'string' && (raw.length > maxUtf16Units || !isWithinLimit(raw));
  return {
    getLengthError: (raw, name) => (isTooLong(raw) ? `${name} ${tooLongText}` : null),
    schema: Type.String({ maxLength: characters }),
    valueForNull: '',
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

/**
 * Returns whether a number is exact: JSON integers beyond ±(2^53-1) lose precision (contract/conventions.md §1 stage
 * 3).
 */
function isExactNumber(raw: unknown): raw is number {
  return Number.isSafeInteger(raw) || (Number.isFinite(raw) && !Number.isInteger(raw));
}

/** Returns the type of a text of at most `bytes` bytes of UTF-8; a longer text is an invalid parameter. */
export function limitedText(bytes: number): ParameterType<string> {
  const tooLongText = `is too long (maximum is ${bytes} bytes)`;
  return createLimitedType({
    ...createByteLimit(bytes),
    tooLongText,
    report: (name, problems) => problems.add(`${name} ${tooLongText}`),
  });
}

/** Returns the type of a field's text; a longer text is a validation error of the field. */
function createFieldType(
  limit: Pick<TextLimit, 'maxUtf16Units' | 'characters' | 'isWithinLimit'>,
  unit: string,
): ParameterType<string> {
  const tooLongText = `is too long (maximum is ${limit.characters} ${unit})`;
  return createLimitedType({
    ...limit,
    tooLongText,
    report: (name, problems) => problems.addToField(name, tooLongText),
  });
}

/** Text for general use, at most 4096 bytes. */
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
export const shortText = createFieldType(createCharacterLimit(255), 'characters');

/** A description or note. */
export const longText = createFieldType(createByteLimit(MEBIBYTE), 'bytes');

/**
 * Returns the type of a long text field of at most `bytes` bytes; the error contains the actual size
 * (contract/planning.md §3.6).
 */
export function sizedText(bytes: number): ParameterType<string> {
  return createLimitedType({
    ...createByteLimit(bytes),
    tooLongText: `is too long. The maximum size is ${formatBytes(bytes)}.`,
    report: (name, problems, value) => problems.addToField(name, describeTooLong(byteLength(value), bytes)),
  });
}

/** Returns the error of a text over its maximum size: `is too long (1.1 MB). The maximum size is 1 MB.` */
export function describeTooLong(bytes: number, maxBytes: number): string {
  return `is too long (${formatBytes(bytes)}). The maximum size is ${formatBytes(maxBytes)}.`;
}

/** Formats a size as `1.1 MB`, with at most three significant digits, in units of 1024. */
function formatBytes(bytes: number): string {
  const unit = bytes < MEBIBYTE ? 1024 : MEBIBYTE;
  return `${Number((bytes / unit).toPrecision(3))} ${unit === MEBIBYTE ? 'MB' : 'KB'}`;
}

/** The description of an issue, merge request, epic or milestone. */
export const longDescription = sizedText(MEBIBYTE);

/**
 * Returns the type of a text whose length the domain function validates, with its own error message. A longer text is cut
 * just above the limit, so that it still fails that validation; its blanks are replaced, so that it fails after trimming
 * too.
 */
export function domainValidatedText(characters: number): ParameterType<string> {
  const maxUnits = 2 * characters + 2;
  const truncate = (text: string) => (text.length > maxUnits ? text.slice(0, maxUnits).replaceAll(/\s/g, '_') : text);
  return {
    schema: Type.String({ maxLength: characters }),
    valueForNull: '',
    read: (raw, name, problems) => readText(typeof raw === 'string' ? truncate(raw) : raw, name, problems),
  };
}

/** The content of a file. The setting `max_commit_request_bytes` limits the body; this is its default. */
export const fileContent: ParameterType<string> = {
  schema: Type.String({ maxLength: 300 * MEBIBYTE }),
  read: readText,
};

import { isJsonObject } from '#text/json-object.ts';
import { truncateToCharacters } from '#text/trim.ts';

// Converts values of SDK reports to texts (contract/monitoring.md §12). No value is rejected.

/** Maximum lengths, in characters. */
export const MAX_NAME_LENGTH = 255;
export const MAX_MESSAGE_LENGTH = 1024;

/**
 * Converts a text, number or boolean to a text without NUL characters, truncated to `maxLength`. Returns null for an empty
 * text and for other values.
 */
export function toText(value: unknown, maxLength = MAX_NAME_LENGTH): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? cleanText(value, maxLength) || null : null;
}

/** Converts like `toText`, and objects and arrays to JSON. */
export function toTextOrJson(value: unknown, maxLength = MAX_NAME_LENGTH): string | null {
  const isObject = typeof value === 'object' && value !== null;
  return isObject ? cleanText(stringifyStart(value, maxLength), maxLength) : toText(value, maxLength);
}

/** Returns whether the text is null or contains only white space. */
export function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

/** Removes NUL characters, replaces lone surrogates, and truncates the text. */
function cleanText(value: string, maxLength: number): string {
  return truncateToCharacters((value.includes('\0') ? value.replaceAll('\0', '') : value).toWellFormed(), maxLength);
}

/** Returns the start of a value's JSON. Stops after `maxLength` characters, because the JSON may be a mebibyte long. */
function stringifyStart(value: unknown, maxLength: number): string {
  let json = '';
  const write = (item: unknown): void => {
    if (Array.isArray(item)) writeList('[', item, write, ']');
    else if (isJsonObject(item)) writeList('{', Object.keys(item), (name) => writeMember(name, item[name]), '}');
    else json += JSON.stringify(typeof item === 'string' ? cleanText(item, maxLength) : item);
  };
  const writeMember = (name: string, memberValue: unknown) => {
    json += `${JSON.stringify(cleanText(name, maxLength))}:`;
    write(memberValue);
  };
  const writeList = <Item>(open: string, items: readonly Item[], writeItem: (item: Item) => void, close: string) => {
    json += open;
    for (const [index, item] of items.entries()) {
      if (json.length > maxLength) return;
      if (index > 0) json += ',';
      writeItem(item);
    }
    json += close;
  };
  write(value);
  return json;
}

/** Removes escaped NUL characters from a JSON text. */
export function removeNulCharacters(json: Buffer): Buffer {
  if (!json.includes(ESCAPED_NUL)) return json;
  // The pattern also matches `\\`, so that an escaped backslash before `u0000` is not taken for an escaped NUL.
  const text = json
    .toString('utf8')
    .replace(/\\(?:u0000|.)/gs, (sequence) => (sequence === ESCAPED_NUL ? '' : sequence));
  return Buffer.from(text);
}

const ESCAPED_NUL = '\\u0000';

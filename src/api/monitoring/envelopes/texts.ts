import { isJsonObject } from '#text/json-object.ts';
import { truncateToCharacters } from '#text/trim.ts';

/** What SDKs send as texts, and what is made of those that are none (contract/monitoring.md §12): nothing is refused. */

/** Of names and of messages, in characters. */
export const NAME = 255;
export const MESSAGE = 1024;

/** A text, number or boolean as a text without NUL characters, cut; null: it is none of these, or empty. */
export function textOf(value: unknown, most = NAME): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? cut(value, most) || null : null;
}

/** The same, where an object or a list becomes its JSON. */
export function textOrJson(value: unknown, most = NAME): string | null {
  return typeof value === 'object' && value !== null ? cut(beginningOfJson(value, most), most) : textOf(value, most);
}

export function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

function cut(value: string, most: number): string {
  return truncateToCharacters((value.includes('\0') ? value.replaceAll('\0', '') : value).toWellFormed(), most);
}

/** The JSON of a value, as far as so many characters of it are wanted: it may be a mebibyte. */
function beginningOfJson(value: unknown, most: number): string {
  let json = '';
  const write = (one: unknown): void => {
    if (Array.isArray(one)) each('[', one, write, ']');
    else if (isJsonObject(one)) each('{', Object.keys(one), (name) => member(name, one[name]), '}');
    else json += JSON.stringify(typeof one === 'string' ? cut(one, most) : one);
  };
  const member = (name: string, one: unknown) => {
    json += `${JSON.stringify(cut(name, most))}:`;
    write(one);
  };
  const each = <Item>(open: string, items: readonly Item[], writeItem: (item: Item) => void, close: string) => {
    json += open;
    for (const [index, item] of items.entries()) {
      if (json.length > most) return;
      if (index > 0) json += ',';
      writeItem(item);
    }
    json += close;
  };
  write(value);
  return json;
}

/** A JSON text whose texts have no NUL characters. */
export function withoutNuls(json: Buffer): Buffer {
  if (!json.includes(NUL)) return json;
  // A backslash before it may be one that stands for itself.
  const text = json.toString('utf8').replace(/\\(?:u0000|.)/gs, (one) => (one === NUL ? '' : one));
  return Buffer.from(text);
}

const NUL = '\\u0000';

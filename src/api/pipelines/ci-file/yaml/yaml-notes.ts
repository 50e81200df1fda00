/** What the parser notices about plain texts that YAML 1.1, and so the reference, reads as values of other types. */
export class YamlNotes {
  /** Top-level names that are no texts for the reference. */
  readonly otherTypeNames = new Set<string>();
  readonly #warnings: string[] = [];

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  noteName(text: string): void {
    if (readAsOtherType(text) !== null) this.otherTypeNames.add(text);
  }

  /** Adds a warning if the reference reads a variable's value differently. `location` is the place in the file. */
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

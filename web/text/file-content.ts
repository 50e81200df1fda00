/** The content of a file as a page shows it. */

/** Files over this number of bytes are only offered as downloads. */
export const MAX_SHOWN_BYTES = 1_000_000;

/** Returns the text of a file in base64; null for content that is not text in UTF-8. A byte order mark is removed unless it is kept. */
export function decodeText(base64: string, keepsByteOrderMark = false): string | null {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepsByteOrderMark }).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the lines of a text. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  // The end of the last line is not another line.
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns whether a file contains Markdown, by its name. */
export const isMarkdownFile = (name: string): boolean => /\.(?:md|markdown|mkdn?|mdown)$/i.test(name);

/** Returns whether browsers show a file as an image, by its name. */
export const isImageFile = (name: string): boolean => /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i.test(name);

/** Returns a number of bytes in the largest unit below it: `1.5 kB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const exponent = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** exponent;
  return `${exponent === 0 ? value : value.toFixed(1)} ${units[exponent]}`;
}

/**
 * What both databases keep of a text that somebody else has made: NULs, of which PostgreSQL takes none, and halves of characters
 * become U+FFFD.
 */
export function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

/**
 * Makes an external text storable in both engines: NULs, which PostgreSQL rejects, and lone surrogates become U+FFFD.
 */
export function toStorableText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

/**
 * The form of a name in its `*_key` column, by which names are unique and found whatever their case. The only
 * case-folding in Hearth: `lower()` and ILIKE differ between the engines. Names that look the same because they are
 * composed differently are the same (NFC).
 */
export function foldCase(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/**
 * Folds the case of a name for its `*_key` column, which makes names unique and searchable regardless of case. All case folding
 * uses this function: `lower()` and ILIKE differ between the engines. Normalizes to NFC, so that composed and decomposed
 * characters are equal.
 */
export function foldCase(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';

/** The only folder below src/api whose endpoints are called to update a file; undefined: all. */
const selectedFolder = process.env.HEARTH_WRITE_GOLDEN === '1' ? process.env.HEARTH_MATRIX_FOLDER : undefined;

/** Returns whether the lines of this endpoint are updated; those of others stay. */
export function isSelected({ folder }: { readonly folder: string }): boolean {
  return selectedFolder === undefined || folder === selectedFolder;
}

/** Compares a text with the checked-in file. `npm run matrix` updates the file instead. */
export function golden(file: string, text: string): void {
  if (process.env.HEARTH_WRITE_GOLDEN === '1') {
    writeFileSync(file, text);
    return;
  }
  const [there, now] = [readFileSync(file, 'utf8').split('\n'), text.split('\n')];
  const only = (lines: string[], others: string[]) => lines.filter((line) => !others.includes(line));
  const hint = 'if the change is intended, run `npm run matrix` to update it';
  assert.deepEqual({ now: only(now, there) }, { now: only(there, now) }, `${file} differs; ${hint}`);
  assert.equal(text, there.join('\n'), `${file} differs in the order of its lines; ${hint}`);
}

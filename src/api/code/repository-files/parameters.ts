import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { pathText } from '#http/parameters/texts.ts';

/** The parameter type of `file_path`, which every method checks first (contract/repository.md §1). */
export const filePath: ParameterType<string> = {
  ...pathText,
  read(raw, name, problems) {
    const path = pathText.read(String(raw), name, problems);
    return path === null || isSafePath(path) ? path : problems.add(`${name} should be a valid file path`);
  },
};

/** Returns false for paths that leave the repository: `..` segments (by `/` or `\`), absolute paths, and line breaks. */
function isSafePath(path: string): boolean {
  if (path.startsWith('/') || path.includes('\n') || path === '.') return false;
  return !path.split(/[/\\]/).includes('..');
}

import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { pathText } from '#http/parameters/texts.ts';

/** The rule of `file_path`, which every method checks before anything else of the file (contract/repository.md §1). */
export const filePath: ParameterType<string> = {
  ...pathText,
  read(raw, name, problems) {
    const path = pathText.read(String(raw), name, problems);
    return path === null || isSafePath(path) ? path : problems.add(`${name} should be a valid file path`);
  },
};

/** No way out of the repository: no `..` as a segment (by `/` or `\`), no absolute path, no line break. */
function isSafePath(path: string): boolean {
  if (path.startsWith('/') || path.includes('\n') || path === '.') return false;
  return !path.split(/[/\\]/).includes('..');
}

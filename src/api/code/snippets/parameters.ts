import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { pathText } from '#http/parameters/texts.ts';

/** The path of a file in a snippet: relative, without `..` and without line breaks, because it is sent in headers. */
export const filePath: ParameterType<string> = {
  ...pathText,
  read(raw, name, problems) {
    const path = pathText.read(raw, name, problems);
    return path === null || isFilePath(path) ? path : problems.add(`${name} should be a valid file path`);
  },
};

function isFilePath(path: string): boolean {
  return !path.startsWith('/') && !/[\r\n]/.test(path) && !path.split(/[/\\]/).includes('..');
}

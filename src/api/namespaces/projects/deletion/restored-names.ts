import { randomInt } from 'node:crypto';
import { withSuffix } from '#domain/namespaces/name-validation.ts';

interface Names {
  readonly name: string;
  readonly path: string;
}

/**
 * Returns the name and path of a restored group or project: the former ones, or if they are taken, both with the same
 * suffix of five random letters or digits (contract/planning.md §3.1 "restore").
 */
export async function chooseRestoredNames(
  formerNames: Names,
  isFree: (names: Names) => Promise<boolean>,
): Promise<Names> {
  let names = formerNames;
  while (!(await isFree(names))) {
    const suffix = `-${Array.from({ length: 5 }, () => randomInt(36).toString(36)).join('')}`;
    names = { name: withSuffix(formerNames.name, suffix), path: withSuffix(formerNames.path, suffix) };
  }
  return names;
}

import { randomInt } from 'node:crypto';
import { suffixed } from '#domain/namespaces/name-validation.ts';

interface Names {
  readonly name: string;
  readonly path: string;
}

/**
 * What is restored after its deletion was scheduled gets its former name and path; when they are taken meanwhile, both
 * with the same five random letters or digits behind them (contract/planning.md §3.1 "restore").
 */
export async function restoredNames(former: Names, isFree: (names: Names) => Promise<boolean>): Promise<Names> {
  let names = former;
  while (!(await isFree(names))) {
    const suffix = `-${Array.from({ length: 5 }, () => randomInt(36).toString(36)).join('')}`;
    names = { name: suffixed(former.name, suffix), path: suffixed(former.path, suffix) };
  }
  return names;
}

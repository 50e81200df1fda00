import { type Gate, gate } from '../git/gate.ts';
import { type Git, ownedBy } from '../git/git.ts';
import type { OpenBranch } from './push-permission.ts';

/** Writers of one branch in this process take turns, so that each sees the tip of the one before; others lose by compare-and-swap. */
const turns = ownedBy(() => new Map<string, { readonly gate: Gate; waiting: number }>());

/** The first of an empty repository's branches decides what the others may be, so that they all wait for it. */
export function inBranchTurn<T>(git: Git, { project, name }: OpenBranch, work: () => Promise<T>): Promise<T> {
  const inTurn = () => takeTurn(git, `${project.id} ${name}`, work);
  return project.empty ? takeTurn(git, `${project.id} `, inTurn) : inTurn();
}

async function takeTurn<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  const all = turns(git);
  const turn = all.get(key) ?? { gate: gate(1), waiting: 0 };
  all.set(key, turn);
  turn.waiting++;
  try {
    return await turn.gate.enter(work);
  } finally {
    turn.waiting--;
    if (turn.waiting === 0) all.delete(key);
  }
}

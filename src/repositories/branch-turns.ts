import { type Gate, gate } from '../git/gate.ts';
import { type Git, ownedBy } from '../git/git.ts';

/** Writers of one branch in this process take turns, so that each sees the tip of the one before; others lose by compare-and-swap. */
const turns = ownedBy(() => new Map<string, { readonly gate: Gate; waiting: number }>());

export async function inBranchTurn<T>(git: Git, projectId: number, branch: string, work: () => Promise<T>): Promise<T> {
  const all = turns(git);
  const key = `${projectId} ${branch}`;
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

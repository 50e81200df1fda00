import type { Act, Acting } from '../../../facts/act.ts';
import { inPieces, MORE, PIECE } from '../../../facts/pieces.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';

/** Deletes an epic, in several acts if very many issues are in it: they leave it first. Epics below it stand alone then. */
export function removeEpic(acting: Acting, caller: SignedIn, id: number): Promise<undefined | Refused<'gone'>> {
  return inPieces(acting, caller, async (act) => {
    if ((await dismissSomeIssues(act, id)) === PIECE) return MORE;
    // index: epics primary key
    const gone = await act.deleteFrom('epics').where('id', '=', id).returning('id').executeTakeFirst();
    return gone === undefined ? refused('gone') : undefined;
  });
}

/** How many they were. index: epic_issues_by_epic */
async function dismissSomeIssues(act: Act, epicId: number): Promise<number> {
  const some = act.selectFrom('epic_issues').select('id').where('epic_id', '=', epicId).limit(PIECE);
  const gone = await act.deleteFrom('epic_issues').where('id', 'in', some).returning('id').execute();
  return gone.length;
}

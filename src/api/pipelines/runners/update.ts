import { stillThere } from '../../../access/gone.ts';
import type { Runner } from '../../../access/runners.ts';
import { runnerColumns } from '../../../access/runners.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { invalid, type Refused } from '../../../refused.ts';
import { type ContentChanges, changedContent, contentErrors, distinctTags } from './content.ts';
import { countedUp, replaceTags, tagsOf } from './store.ts';

/** Changes a runner, all or nothing; it asks for jobs anew then (contract/runners.md §1.3). */
export async function updateRunner(
  act: Act<SignedIn>,
  runner: Runner,
  changes: ContentChanges & { readonly tag_list?: readonly string[] | null | undefined },
): Promise<Runner | Refused<'invalid'>> {
  const content = changedContent(changes, runner);
  const tags = distinctTags(changes.tag_list);
  const now = await tagsOf(act, runner.id);
  const changed = tags !== undefined && (tags.length !== now.length || tags.some((tag) => !now.includes(tag)));
  const errors = contentErrors(content, { count: (tags ?? now).length, changed });
  if (errors) return invalid(errors);
  if (tags !== undefined) await replaceTags(act, runner.id, tags);
  const updated = await act
    .updateTable('runners')
    .set((eb) => ({ ...content, ...countedUp(eb), updated_at: act.now }))
    .where('id', '=', runner.id)
    .returning(runnerColumns)
    .executeTakeFirst();
  return stillThere(updated);
}

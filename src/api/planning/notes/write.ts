import { mayAt } from '../../../access/abilities.ts';
import type { Act } from '../../../facts/act.ts';
import { forgetTargetActivity, MOST_NOTES } from '../../../history/index.ts';
import type { Thing, ThingKind } from '../../../http/access/things.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { tellMentioned } from '../issuables/index.ts';
import { stillChanging, stillCommenting } from './access.ts';
import { count } from './count.ts';
import { countNotes, deleteNoteRow, insertComment, mayReadInternal, type NoteRow, updateBody } from './store.ts';

interface Wish {
  readonly body: string;
  readonly internal: boolean;
  /** Only Owners may say when. */
  readonly createdAt: string | null;
}

/** A comment on a thing: it counts there, and in a project it is an activity. */
export async function createNote(
  act: Act<SignedIn>,
  kind: ThingKind,
  asked: Thing,
  { body, internal, createdAt }: Wish,
): Promise<NoteRow | Refused<'internal' | 'blank' | 'tooMany'>> {
  const { thing, caller } = await stillCommenting(act, kind, asked);
  if (internal && !mayReadInternal(caller, thing)) return refused('internal');
  if (body.trim() === '') return refused('blank');
  if ((await countNotes(act, thing, MOST_NOTES)) === MOST_NOTES) return refused('tooMany');
  const note = await insertComment(act, thing, {
    authorId: caller.user.id,
    body,
    internal,
    createdAt: (mayAt(caller, 'date_note', thing) && createdAt) || act.now,
  });
  await count(act, thing, 1, act.now);
  if (thing.project) {
    await act.record({
      projectId: thing.project.id,
      authorId: caller.user.id,
      action: 'commented',
      target: { type: 'Note', id: note.id },
    });
  } else {
    await act.publish('occurred', { event: 'new_note', about: { type: 'Note', id: note.id } });
  }
  if (!internal) await tellMentioned(act, thing, [body]);
  return note;
}

/** Says it in other words. */
export async function updateNote(
  act: Act<SignedIn>,
  kind: ThingKind,
  asked: Thing,
  note: NoteRow,
  body: string,
): Promise<NoteRow | Refused<'gone'>> {
  const standing = await stillChanging(act, kind, asked, note);
  if (isRefused(standing)) return standing;
  const { thing, now } = standing;
  if (body === now.body) return now;
  const changed = await updateBody(act, note.id, body);
  if (changed === undefined) return refused('gone');
  const { type, id } = thing;
  const before = now.body;
  await act.publish('reworded', {
    ...{ about: { type, id }, of: 'note', noteId: note.id },
    ...{ before, text: body, internal: now.internal },
  });
  if (!now.internal) await tellMentioned(act, thing, [body]);
  return changed;
}

/** Takes a comment back, and with it what the feeds say of it. */
export async function deleteNote(
  act: Act<SignedIn>,
  kind: ThingKind,
  asked: Thing,
  note: NoteRow,
): Promise<undefined | Refused<'gone'>> {
  const standing = await stillChanging(act, kind, asked, note);
  if (isRefused(standing)) return standing;
  if (!(await deleteNoteRow(act, note.id))) return refused('gone');
  await forgetTargetActivity(act, 'Note', [note.id]);
  await count(act, standing.thing, -1, act.now);
}

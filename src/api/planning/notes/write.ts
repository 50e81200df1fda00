import { mayInProject } from '../../../access/abilities.ts';
import type { Act } from '../../../facts/act.ts';
import { forgetTargetActivity } from '../../../history/index.ts';
import type { Thing } from '../../../http/access/things.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { effectsOn } from './effects.ts';
import {
  countNotes,
  deleteNoteRow,
  findNote,
  insertComment,
  mayReadInternal,
  type NoteRow,
  updateBody,
} from './store.ts';

/** What one thing can have of notes; only Hearth says more. */
const MOST = 5_000;

interface Wish {
  readonly body: string;
  readonly internal: boolean;
  /** Only Owners may say when. */
  readonly createdAt: string | null;
}

/** A comment on a thing: it counts there, and is an activity of its project. */
export async function createNote(
  act: Act<SignedIn>,
  thing: Thing,
  { body, internal, createdAt }: Wish,
): Promise<NoteRow | Refused<'internal' | 'blank' | 'tooMany' | 'gone'>> {
  const { by } = act;
  if (internal && !mayReadInternal(by, thing.project)) return refused('internal');
  if (body.trim() === '') return refused('blank');
  const { count, stands, mention } = effectsOn(thing);
  if (!(await stands(act))) return refused('gone');
  if ((await countNotes(act, thing, MOST)) === MOST) return refused('tooMany');
  const note = await insertComment(act, thing, {
    authorId: by.user.id,
    body,
    internal,
    createdAt: (mayInProject(by, 'date_note', thing.project) && createdAt) || act.now,
  });
  await count(act, 1);
  await act.record({
    projectId: thing.project.id,
    authorId: by.user.id,
    action: 'commented',
    target: { type: 'Note', id: note.id },
  });
  if (!internal) await mention(act, body);
  return note;
}

/** Says it in other words. */
export async function updateNote(
  act: Act<SignedIn>,
  thing: Thing,
  note: NoteRow,
  body: string,
): Promise<NoteRow | Refused<'gone'>> {
  const now = await findNote(act, act.by, thing, note.id);
  if (now === null) return refused('gone');
  if (body === now.body) return now;
  const changed = await updateBody(act, note.id, body);
  if (changed === undefined) return refused('gone');
  if (!note.internal) await effectsOn(thing).mention(act, body);
  return changed;
}

/** Takes a comment back, and with it what the feeds say of it. */
export async function deleteNote(act: Act, thing: Thing, { id }: NoteRow): Promise<undefined | Refused<'gone'>> {
  if (!(await deleteNoteRow(act, id))) return refused('gone');
  await forgetTargetActivity(act, 'Note', [id]);
  await effectsOn(thing).count(act, -1);
}

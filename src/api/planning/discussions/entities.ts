import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { Note, type Thread } from '../notes/index.ts';

/** A thread with all its notes (contract/planning.md §1 "Discussion"). */
export const Discussion = entity('Discussion', {
  id: Type.String(),
  individual_note: Type.Boolean(),
  notes: Type.Array(Note.schema),
}).from(
  async (threads: readonly Thread[], context) => {
    const serializedNotes = await Note.serializeAll(
      threads.flatMap(({ notes }) => notes),
      context,
    );
    return new Map(serializedNotes.map((note) => [note.id, note]));
  },
  ({ id, notes }, _context, notesById) => ({
    id,
    individual_note: notes[0].type === null,
    notes: notes.flatMap((note) => notesById.get(note.id) ?? []),
  }),
);

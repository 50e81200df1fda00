import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { Note, type Thread } from '../notes/index.ts';

/** A thread with all its notes (contract/planning.md §1 "Discussion"). */
export const Discussion = entity('Discussion', {
  id: Type.String(),
  individual_note: Type.Boolean(),
  notes: Type.Array(Note.schema),
}).from(
  async (threads: readonly Thread[], to) => {
    const shapes = await Note.serializeAll(
      threads.flatMap(({ notes }) => notes),
      to,
    );
    return new Map(shapes.map((note) => [note.id, note]));
  },
  ({ id, notes }, _to, shapes) => ({
    id,
    individual_note: notes[0].type === null,
    notes: notes.flatMap((note) => shapes.get(note.id) ?? []),
  }),
);

import { type Static, Type } from 'typebox';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';

// The position of a note in a diff, as its author sent it (contract/planning.md §1 "Note").

const textField = Type.String();
const number = nullable(Type.Integer());

const lineEnd = objectSchema('LineRangeEnd', {
  line_code: nullable(textField),
  type: nullable(textField),
  old_line: number,
  new_line: number,
});

export const Position = objectSchema('Position', {
  base_sha: textField,
  start_sha: textField,
  head_sha: textField,
  old_path: nullable(textField),
  new_path: nullable(textField),
  position_type: Type.Enum(['text', 'image', 'file']),
  /** For text positions. */
  old_line: Type.Optional(number),
  new_line: Type.Optional(number),
  line_range: Type.Optional(nullable(objectSchema('LineRange', { start: lineEnd, end: lineEnd }))),
  /** For image positions. */
  width: Type.Optional(number),
  height: Type.Optional(number),
  x: Type.Optional(number),
  y: Type.Optional(number),
});
export type Position = Static<typeof Position>;

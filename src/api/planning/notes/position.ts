import { type Static, Type } from 'typebox';
import { nullable, shape } from '#http/endpoint/responses.ts';

/** Where a note stands in a diff, as whoever has written it has said (contract/planning.md §1 "Note"). */

const text = Type.String();
const number = nullable(Type.Integer());

const lineEnd = shape('LineRangeEnd', {
  line_code: nullable(text),
  type: nullable(text),
  old_line: number,
  new_line: number,
});

export const Position = shape('Position', {
  base_sha: text,
  start_sha: text,
  head_sha: text,
  old_path: nullable(text),
  new_path: nullable(text),
  position_type: Type.Enum(['text', 'image', 'file']),
  /** On a line. */
  old_line: Type.Optional(number),
  new_line: Type.Optional(number),
  line_range: Type.Optional(nullable(shape('LineRange', { start: lineEnd, end: lineEnd }))),
  /** In a picture. */
  width: Type.Optional(number),
  height: Type.Optional(number),
  x: Type.Optional(number),
  y: Type.Optional(number),
});
export type Position = Static<typeof Position>;

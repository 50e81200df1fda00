import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';

export const ResourceGroup = entity('ResourceGroup', {
  id: Type.Integer(),
  key: Type.String(),
  process_mode: Type.String(),
  created_at: dateTime,
  updated_at: dateTime,
}).columns();

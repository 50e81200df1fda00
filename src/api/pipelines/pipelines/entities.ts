import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';

/** A variable given when the pipeline was created (contract/runners.md §4.3). */
export const PipelineVariable = entity('PipelineVariable', {
  variable_type: Type.String(),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
});

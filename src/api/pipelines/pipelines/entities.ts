import { Type } from 'typebox';
import { entity, rawEntity } from '#http/endpoint/entity.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';

/** A variable given when the pipeline was created (contract/runners.md §4.3). */
export const PipelineVariable = entity('PipelineVariable', {
  variable_type: Type.String(),
  key: Type.String(),
  value: Type.String(),
  raw: Type.Boolean(),
});

/** The jobs that a job needs directly, by id (contract/web.md §3); null: it waits for all jobs of earlier stages. */
export const JobNeeds = rawEntity(
  objectSchema('JobNeeds', { id: Type.Integer(), needs: nullable(Type.Array(Type.Integer())) }),
);

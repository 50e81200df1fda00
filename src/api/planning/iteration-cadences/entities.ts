import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { day, moment, nullable } from '#http/endpoint/responses.ts';
import type { CadenceRow } from './store.ts';

/** contract/planning.md §1 "Cadence" */
export const Cadence = entity('IterationCadence', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  automatic: Type.Boolean(),
  start_date: nullable(day),
  duration_in_weeks: nullable(Type.Integer()),
  iterations_in_advance: nullable(Type.Integer()),
  roll_over: Type.Boolean(),
  /** When the next iteration is made. */
  next_run_date: nullable(day),
  created_at: moment,
  updated_at: moment,
}).from(({ rolled_over_until: _rolled, ...cadence }: CadenceRow) => cadence);

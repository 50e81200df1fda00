import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';
import type { CadenceRow } from './store.ts';

/** An iteration cadence (contract/planning.md §1 "Cadence"). */
export const Cadence = entity('IterationCadence', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  automatic: Type.Boolean(),
  start_date: nullable(date),
  duration_in_weeks: nullable(Type.Integer()),
  iterations_in_advance: nullable(Type.Integer()),
  roll_over: Type.Boolean(),
  /** The day on which the next iteration is created. */
  next_run_date: nullable(date),
  created_at: dateTime,
  updated_at: dateTime,
}).from(({ rolled_over_until: _rolled, ...cadence }: CadenceRow) => cadence);

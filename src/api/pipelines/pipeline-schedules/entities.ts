import { Type } from 'typebox';
import { PipelineBasic } from '#api/code/pipeline-summaries/index.ts';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { newestOfSchedule, PipelineVariable } from '../pipelines/index.ts';
import type { ScheduleRow } from './store.ts';
import { opened, type StoredVariable, variablesOf } from './variables.ts';

/** The forms of a schedule (contract/runners.md §4.7). */

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String(),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: dateTime,
  active: Type.Boolean(),
  created_at: dateTime,
  updated_at: dateTime,
  /** Null once the account is gone. */
  owner: nullable(UserBasic.schema),
};

type Owners = Awaited<ReturnType<typeof usersById>>;

function ownersOf(rows: readonly ScheduleRow[], { db }: SerializationContext): Promise<Owners> {
  return usersById(
    db,
    rows.map(({ owner_id }) => owner_id),
  );
}

function basic(row: ScheduleRow, to: SerializationContext, owners: Owners) {
  const owner = owners.get(row.owner_id ?? 0);
  return {
    id: row.id,
    description: row.description,
    ref: row.ref,
    cron: row.cron,
    cron_timezone: row.cron_timezone,
    next_run_at: row.next_run_at,
    active: row.active,
    created_at: row.created_at,
    updated_at: row.updated_at,
    owner: owner === undefined ? null : UserBasic.serialize(owner, to),
  };
}

/** As lists show it. */
export const PipelineSchedule = entity('PipelineSchedule', fields).from(ownersOf, basic);

/** What it gives to its pipelines. */
export const ScheduleVariable = PipelineVariable.from(
  (_rows: readonly StoredVariable[], to) => to.secretKey(),
  (row, _to, key) => opened(key, row),
);

/** One that is looked at alone; `showsVariables`: whoever looks may read what it gives to its pipelines. */
export type ShownSchedule = ScheduleRow & { readonly showsVariables: boolean };

export const PipelineScheduleDetail = entity('PipelineScheduleDetail', {
  ...fields,
  last_pipeline: nullable(PipelineBasic.schema),
  inputs: Type.Optional(Type.Array(Type.Object({}))),
  variables: Type.Optional(Type.Array(PipelineVariable.schema)),
}).from(besideDetail, (row: ShownSchedule, to, { owners, newest, variables }) => ({
  ...basic(row, to, owners),
  last_pipeline: newest === null ? null : PipelineBasic.serialize(newest, to),
  ...(variables === null ? {} : { inputs: [], variables }),
}));

/** There is never more than one of them. */
async function besideDetail([row]: readonly ShownSchedule[], to: SerializationContext) {
  const { id, showsVariables } = row!;
  const [owners, newest] = await Promise.all([ownersOf([row!], to), newestOfSchedule(to.db, id)]);
  if (!showsVariables) return { owners, newest, variables: null };
  return { owners, newest, variables: await ScheduleVariable.serializeAll(await variablesOf(to.db, id), to) };
}

import { Type } from 'typebox';
import { PipelineBasic } from '#api/code/pipeline-summaries/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { findNewestPipelineOfSchedule, PipelineVariable } from '../pipelines/index.ts';
import { decryptScheduleVariable, listScheduleVariables, type ScheduleRow, type ScheduleVariableRow } from './store.ts';

// Serialized forms of a schedule (contract/runners.md §4.7).

const fields = {
  id: Type.Integer(),
  description: Type.String(),
  ref: Type.String({ description: 'Full name, such as `refs/heads/main`.' }),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: dateTime,
  active: Type.Boolean(),
  created_at: dateTime,
  updated_at: dateTime,
  /** Null if the user was deleted. */
  owner: nullable(UserBasic.schema),
};

type Owners = Awaited<ReturnType<typeof loadUsersById>>;

function loadOwners(rows: readonly ScheduleRow[], { db }: SerializationContext): Promise<Owners> {
  return loadUsersById(
    db,
    rows.map(({ owner_id }) => owner_id),
  );
}

const COLUMNS = [
  ...(['id', 'description', 'ref', 'cron', 'cron_timezone', 'next_run_at', 'active', 'created_at'] as const),
  'updated_at',
] as const;

function serializeOwner({ owner_id }: ScheduleRow, context: SerializationContext, owners: Owners) {
  const owner = owners.get(owner_id ?? 0);
  return { owner: owner === undefined ? null : UserBasic.serialize(owner, context) };
}

/** A schedule in lists. */
export const PipelineSchedule = entity('PipelineSchedule', fields)
  .columns(...COLUMNS)
  .from(loadOwners, serializeOwner);

/** A variable of a schedule. */
export const ScheduleVariable = PipelineVariable.from(
  (_rows: readonly ScheduleVariableRow[], context) => context.secretKey(),
  (row, _context, key) => decryptScheduleVariable(key, row),
);

/** A schedule, and whether the caller may read its variables. */
export type ScheduleForCaller = ScheduleRow & { readonly showsVariables: boolean };

/** A single schedule. */
export const PipelineScheduleDetail = entity('PipelineScheduleDetail', {
  ...fields,
  last_pipeline: nullable(PipelineBasic.schema),
  inputs: Type.Optional(Type.Array(Type.Object({}))),
  variables: Type.Optional(Type.Array(PipelineVariable.schema)),
})
  .columns(...COLUMNS)
  .from(loadDetailRelations, (row: ScheduleForCaller, context, { owners, newestPipeline, variables }) => ({
    ...serializeOwner(row, context, owners),
    last_pipeline: newestPipeline === null ? null : PipelineBasic.serialize(newestPipeline, context),
    ...(variables === null ? {} : { inputs: [], variables }),
  }));

/** Loads relations of a single schedule; there is never more than one row. */
async function loadDetailRelations([row]: readonly ScheduleForCaller[], context: SerializationContext) {
  const { id, showsVariables } = row!;
  const [owners, newestPipeline] = await Promise.all([
    loadOwners([row!], context),
    findNewestPipelineOfSchedule(context.db, id),
  ]);
  if (!showsVariables) return { owners, newestPipeline, variables: null };
  return {
    owners,
    newestPipeline,
    variables: await ScheduleVariable.serializeAll(await listScheduleVariables(context.db, id), context),
  };
}

import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { invalid, isFailure } from '#runtime/failure.ts';
import { changingVariables, deletingSchedule, deletingVariables, variableOfPath } from './access.ts';
import { ScheduleVariable } from './entities.ts';
import { CHANGED_VARIABLE, NEW_VARIABLE } from './parameters.ts';
import { deleteVariable, insertVariable, opened, sealed, updateVariable } from './variables.ts';

/** What a schedule gives to its pipelines (contract/runners.md §4.7). */

const PATH = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables';

const GONE = [404, '404 Pipeline Schedule Variable Not Found'] as const;

export const createScheduleVariable = endpoint({
  post: PATH,
  summary: 'Give a variable to the pipelines of a schedule',
  access: changingVariables(),
  params: NEW_VARIABLE,
  errors: { invalid: INVALID },
  uniqueErrors: { pipeline_schedule_variables_by_key: invalid({ key: ['has already been taken'] }) },
  response: created(ScheduleVariable),
  async handle({ schedule, caller, params }, { runUnitOfWork, secretKey }) {
    const row = sealed(await secretKey(), schedule.id, { ...params, key: params.key.trim() });
    if (isFailure(row)) return row;
    return runUnitOfWork(caller, (uow) => insertVariable(uow, row));
  },
});

export const readScheduleVariable = endpoint({
  get: `${PATH}/:key`,
  summary: 'Read a variable that a schedule gives to its pipelines',
  access: deletingSchedule().resource(variableOfPath),
  response: ok(ScheduleVariable),
  read: (_db, { variable }) => variable,
});

export const updateScheduleVariable = endpoint({
  put: `${PATH}/:key`,
  summary: 'Change a variable that a schedule gives to its pipelines',
  access: changingVariables().resource(variableOfPath),
  params: CHANGED_VARIABLE,
  errors: { invalid: INVALID, gone: GONE },
  response: ok(ScheduleVariable),
  async handle({ schedule, variable, caller, params }, { runUnitOfWork, secretKey }) {
    const key = await secretKey();
    const now = opened(key, variable);
    const row = sealed(key, schedule.id, {
      ...now,
      value: params.value ?? now.value,
      variable_type: params.variable_type ?? now.variable_type,
    });
    if (isFailure(row)) return row;
    return runUnitOfWork(caller, (uow) => updateVariable(uow, row));
  },
});

export const deleteScheduleVariable = endpoint({
  delete: `${PATH}/:key`,
  summary: 'Give a variable to the pipelines of a schedule no more',
  access: deletingVariables().resource(variableOfPath),
  errors: { gone: GONE },
  response: { ...ok(ScheduleVariable), status: 202 },
  write: (uow, { variable }) => deleteVariable(uow, variable),
});

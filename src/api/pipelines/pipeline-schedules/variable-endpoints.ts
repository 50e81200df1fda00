import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { invalid, isFailure } from '#runtime/failure.ts';
import {
  deleteScheduleAccess,
  deleteVariablesAccess,
  scheduleVariableResource,
  updateVariablesAccess,
} from './access.ts';
import { ScheduleVariable } from './entities.ts';
import { CREATE_VARIABLE_PARAMS, UPDATE_VARIABLE_PARAMS } from './parameters.ts';
import {
  decryptScheduleVariable,
  deleteVariable,
  encryptScheduleVariable,
  insertScheduleVariable,
  updateVariable,
} from './variables.ts';

/** Pipeline schedule variable endpoints (contract/runners.md §4.7). */

const PATH = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables';

const VARIABLE_NOT_FOUND = [404, '404 Pipeline Schedule Variable Not Found'] as const;

export const createScheduleVariable = endpoint({
  post: PATH,
  summary: 'Create a pipeline schedule variable',
  access: updateVariablesAccess(),
  params: CREATE_VARIABLE_PARAMS,
  errors: { invalid: INVALID },
  uniqueErrors: { pipeline_schedule_variables_by_key: invalid({ key: ['has already been taken'] }) },
  response: created(ScheduleVariable),
  async handle({ schedule, caller, params }, { runUnitOfWork, secretKey }) {
    const row = encryptScheduleVariable(await secretKey(), schedule.id, { ...params, key: params.key.trim() });
    if (isFailure(row)) return row;
    return runUnitOfWork(caller, (uow) => insertScheduleVariable(uow, row));
  },
});

/** Requires the rights for deleting the schedule, because the response contains the value. */
export const getScheduleVariable = endpoint({
  get: `${PATH}/:key`,
  summary: 'Get a pipeline schedule variable',
  access: deleteScheduleAccess().resource(scheduleVariableResource),
  response: ok(ScheduleVariable),
  read: (_db, { variable }) => variable,
});

export const updateScheduleVariable = endpoint({
  put: `${PATH}/:key`,
  summary: 'Update a pipeline schedule variable',
  access: updateVariablesAccess().resource(scheduleVariableResource),
  params: UPDATE_VARIABLE_PARAMS,
  errors: { invalid: INVALID, notFound: VARIABLE_NOT_FOUND },
  response: ok(ScheduleVariable),
  async handle({ schedule, variable, caller, params }, { runUnitOfWork, secretKey }) {
    const encryptionKey = await secretKey();
    const current = decryptScheduleVariable(encryptionKey, variable);
    const row = encryptScheduleVariable(encryptionKey, schedule.id, {
      ...current,
      value: params.value ?? current.value,
      variable_type: params.variable_type ?? current.variable_type,
    });
    if (isFailure(row)) return row;
    return runUnitOfWork(caller, (uow) => updateVariable(uow, row));
  },
});

export const deleteScheduleVariable = endpoint({
  delete: `${PATH}/:key`,
  summary: 'Delete a pipeline schedule variable',
  access: deleteVariablesAccess().resource(scheduleVariableResource),
  errors: { notFound: VARIABLE_NOT_FOUND },
  response: { ...ok(ScheduleVariable), status: 202 },
  write: (uow, { variable }) => deleteVariable(uow, variable),
});

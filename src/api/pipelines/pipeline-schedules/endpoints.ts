import { PipelineInList } from '#api/code/pipeline-summaries/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message, noContent, ok, page, Reply } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { describe, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, refName, string } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { enqueue } from '#jobs/job.ts';
import { invalid, isFailure } from '#runtime/failure.ts';
import { listSchedulePipelines, sharedFilterParams } from '../pipelines/index.ts';
import {
  deleteScheduleAccess,
  deleteVariablesAccess,
  findFullRefName,
  mayReadScheduleVariables,
  playScheduleAccess,
  readScheduleAccess,
  scheduleVariableResource,
  takeScheduleAccess,
  updateScheduleAccess,
  updateVariablesAccess,
} from './access.ts';
import { applyScheduleChanges, createSchedule, getSchedulesLockKey, takeScheduleOwnership } from './changes.ts';
import { PipelineSchedule, PipelineScheduleDetail, type ScheduleForCaller, ScheduleVariable } from './entities.ts';
import { playSchedule } from './run.ts';
import {
  decryptScheduleVariable,
  deleteSchedule,
  deleteVariable,
  encryptScheduleVariable,
  insertScheduleVariable,
  listSchedules,
  type ScheduleRow,
  updateVariable,
} from './store.ts';

// Pipeline schedules (contract/runners.md §4.7).

interface CallerInProject {
  readonly project: Project;
  readonly caller: Caller;
}

/** Adds to the schedule whether the caller may read its variables. */
const toScheduleForCaller = ({ project, caller }: CallerInProject, schedule: ScheduleRow): ScheduleForCaller => ({
  ...schedule,
  showsVariables: mayReadScheduleVariables(caller, project, schedule),
});

const SCHEDULE_NOT_FOUND = [404, '404 Pipeline Schedule Not Found'] as const;

/** Describes the parameters that creation and update share. */
const scheduleParam = {
  ref: <P extends Parameter<string>>(parameter: P) =>
    describe(parameter, 'Short or full name of a branch or tag; the full name is stored.'),
  cron: <P extends Parameter<string>>(parameter: P) =>
    describe(parameter, 'Five cron fields, such as `0 1 * * 5`, or a shortcut such as `@daily`.'),
  timeZone: <P extends Parameter<string>>(parameter: P) =>
    describe(parameter, 'IANA name of the time zone, or a name of Ruby on Rails such as `Berlin`.'),
};

export const listPipelineSchedules = endpoint({
  get: '/projects/:id/pipeline_schedules',
  summary: 'List the pipeline schedules of a project',
  description: 'Returns the schedules oldest first, without their variables and latest pipelines.',
  access: inProject('read_pipeline'),
  params: { scope: optional(oneOf('active', 'inactive')) },
  response: page(PipelineSchedule),
  read: (db, { project, params, page }) => listSchedules(db, project.id, params.scope, page),
});

export const getPipelineSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Get a pipeline schedule',
  description: '`variables` and `inputs` are present only for Maintainers and for the owner with the Developer role.',
  access: readScheduleAccess(),
  response: ok(PipelineScheduleDetail),
  read: (_db, call) => toScheduleForCaller(call, call.schedule),
});

export const listPipelinesOfSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
  summary: 'List the pipelines of a pipeline schedule',
  description: 'Returns the pipelines that the schedule created, oldest first by default.',
  access: readScheduleAccess(),
  params: { ...sharedFilterParams, sort: optional(oneOf('asc', 'desc'), 'asc') },
  response: page(PipelineInList),
  read: (db, { schedule, params, page }) => listSchedulePipelines(db, schedule.id, params, page),
});

export const createPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules',
  summary: 'Create a pipeline schedule',
  description:
    'The caller becomes the owner. The pipelines run as the owner, who must be allowed to push to `ref`. A project has at most 10 schedules.',
  access: inProject('update_pipeline'),
  params: {
    description: required(longText),
    ref: scheduleParam.ref(required(refName)),
    cron: scheduleParam.cron(required(string)),
    cron_timezone: scheduleParam.timeZone(optional(string, 'UTC')),
    active: optional(boolean, true),
  },
  errors: { invalid: INVALID },
  response: created(PipelineScheduleDetail),
  async handle({ project, caller, params }, { git, runUnitOfWork }) {
    const ref = await findFullRefName(git, project, params.ref);
    const { description, cron, cron_timezone, active } = params;
    const input = { description, ref, cron, cron_timezone, active };
    const schedule = await runUnitOfWork(caller, (uow) => createSchedule(uow, project, input), {
      lock: getSchedulesLockKey(project),
    });
    return isFailure(schedule) ? schedule : toScheduleForCaller({ project, caller }, schedule);
  },
});

export const updatePipelineSchedule = endpoint({
  put: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Update a pipeline schedule',
  description:
    'Only the owner and administrators may update a schedule; Maintainers take ownership first. A change of the times or activating the schedule computes `next_run_at` again.',
  access: updateScheduleAccess(),
  params: {
    description: optional(longText),
    ref: scheduleParam.ref(optional(refName)),
    cron: scheduleParam.cron(optional(string)),
    cron_timezone: scheduleParam.timeZone(optional(string)),
    active: optional(boolean),
  },
  errors: { invalid: INVALID, notFound: SCHEDULE_NOT_FOUND },
  response: ok(PipelineScheduleDetail),
  async handle({ project, caller, schedule, params }, { git, runUnitOfWork }) {
    const { ref, description, cron, cron_timezone, active } = params;
    const changes = {
      ...(description == null ? {} : { description }),
      ...(ref == null ? {} : { ref: await findFullRefName(git, project, ref) }),
      ...(cron == null ? {} : { cron }),
      ...(cron_timezone == null ? {} : { cron_timezone }),
      ...(active == null ? {} : { active }),
    };
    const updatedSchedule = await runUnitOfWork(caller, (uow) => applyScheduleChanges(uow, project, schedule, changes));
    return isFailure(updatedSchedule) ? updatedSchedule : toScheduleForCaller({ project, caller }, updatedSchedule);
  },
});

export const takeOwnershipOfPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership',
  summary: 'Take ownership of a pipeline schedule',
  description:
    'The caller becomes the owner. The next pipelines run as the owner. Answers 200 instead of 201 if the caller is already the owner.',
  access: takeScheduleAccess(),
  errors: { notFound: SCHEDULE_NOT_FOUND },
  response: { ...created(PipelineScheduleDetail), otherStatuses: [200] },
  async write(uow, { project, caller, schedule }) {
    const updatedSchedule = await takeScheduleOwnership(uow, schedule);
    if (isFailure(updatedSchedule)) return updatedSchedule;
    // 200 instead of 201 if the caller already was the owner.
    const status = schedule.owner_id === caller.user.id ? 200 : undefined;
    return new Reply(toScheduleForCaller({ project, caller }, updatedSchedule), { status });
  },
});

export const playPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/play',
  summary: 'Play a pipeline schedule',
  description:
    'Creates a pipeline in the background, as the caller and with the variables of the schedule. `next_run_at` stays as it is.',
  access: playScheduleAccess(),
  response: created(rawEntity(Message)),
  async write(uow, { caller, schedule }) {
    await enqueue(uow, playSchedule, { scheduleId: schedule.id, userId: caller.user.id });
    return { message: '201 Created' };
  },
});

export const deletePipelineSchedule = endpoint({
  delete: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Delete a pipeline schedule',
  description: 'Deletes the schedule with its variables. Its pipelines stay.',
  access: deleteScheduleAccess(),
  lastModified: ({ schedule }) => schedule.updated_at,
  response: noContent,
  write: (uow, { schedule }) => deleteSchedule(uow, schedule.id),
});

// Variables of pipeline schedules (contract/runners.md §4.7).

const PATH = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables';

const variableValue = domainValidatedText(50_000);
const variableType = oneOf('env_var', 'file');

const VARIABLE_NOT_FOUND = [404, '404 Pipeline Schedule Variable Not Found'] as const;

export const createScheduleVariable = endpoint({
  post: PATH,
  summary: 'Create a pipeline schedule variable',
  description:
    'Later pipelines of the schedule get the variable. The value is stored encrypted. A schedule has at most 200 variables.',
  access: updateVariablesAccess(),
  params: {
    key: required(domainValidatedText(255)),
    value: required(variableValue),
    variable_type: optional(variableType, 'env_var'),
  },
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
  description: 'Returns the variable with its decrypted value, so that the right to delete the schedule is required.',
  access: deleteScheduleAccess().resource(scheduleVariableResource),
  response: ok(ScheduleVariable),
  read: (_db, { variable }) => variable,
});

export const updateScheduleVariable = endpoint({
  put: `${PATH}/:key`,
  summary: 'Update a pipeline schedule variable',
  description: 'Changes the value or the type; absent parameters stay unchanged.',
  access: updateVariablesAccess().resource(scheduleVariableResource),
  params: { value: optional(variableValue), variable_type: optional(variableType) },
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
  description: 'Returns the deleted variable.',
  access: deleteVariablesAccess().resource(scheduleVariableResource),
  errors: { notFound: VARIABLE_NOT_FOUND },
  response: { ...ok(ScheduleVariable), status: 202 },
  write: (uow, { variable }) => deleteVariable(uow, variable),
});

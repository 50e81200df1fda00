import { PipelineInList } from '#api/code/pipeline-summaries/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message, noContent, ok, page, Reply } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { enqueue } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { listSchedulePipelines, periodParams } from '../pipelines/index.ts';
import {
  deleteScheduleAccess,
  mayReadScheduleVariables,
  playScheduleAccess,
  readScheduleAccess,
  takeScheduleAccess,
  updateScheduleAccess,
} from './access.ts';
import { applyScheduleChanges, createSchedule, getSchedulesLockKey, takeScheduleOwnership } from './changes.ts';
import { PipelineSchedule, PipelineScheduleDetail, type ScheduleForCaller } from './entities.ts';
import { CREATE_SCHEDULE_PARAMS, UPDATE_SCHEDULE_PARAMS } from './parameters.ts';
import { findFullRefName } from './ref-names.ts';
import { playSchedule } from './run.ts';
import { deleteSchedule, listSchedules, type ScheduleRow } from './store.ts';

/** Pipeline schedule endpoints (contract/runners.md §4.7). */

interface CallerContext {
  readonly project: Project;
  readonly caller: Caller;
}

const toScheduleForCaller = ({ project, caller }: CallerContext, schedule: ScheduleRow): ScheduleForCaller => ({
  ...schedule,
  showsVariables: mayReadScheduleVariables(caller, project, schedule),
});

const SCHEDULE_NOT_FOUND = [404, '404 Pipeline Schedule Not Found'] as const;

export const listPipelineSchedules = endpoint({
  get: '/projects/:id/pipeline_schedules',
  summary: 'List the pipeline schedules of a project',
  access: inProject('read_pipeline'),
  params: { scope: optional(oneOf('active', 'inactive')) },
  response: page(PipelineSchedule),
  read: (db, { project, params, page }) => listSchedules(db, project.id, params.scope, page),
});

export const getPipelineSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Get a pipeline schedule',
  access: readScheduleAccess(),
  response: ok(PipelineScheduleDetail),
  read: (_db, call) => toScheduleForCaller(call, call.schedule),
});

export const listPipelinesOfSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
  summary: 'List the pipelines of a pipeline schedule',
  access: readScheduleAccess(),
  params: { ...periodParams, sort: optional(oneOf('asc', 'desc'), 'asc') },
  response: page(PipelineInList),
  read: (db, { schedule, params, page }) => listSchedulePipelines(db, schedule.id, params, page),
});

export const createPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules',
  summary: 'Create a pipeline schedule',
  access: inProject('update_pipeline'),
  params: CREATE_SCHEDULE_PARAMS,
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
  access: updateScheduleAccess(),
  params: UPDATE_SCHEDULE_PARAMS,
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
  access: deleteScheduleAccess(),
  lastModified: ({ schedule }) => schedule.updated_at,
  response: noContent,
  write: (uow, { schedule }) => deleteSchedule(uow, schedule.id),
});

export * from './variable-endpoints.ts';

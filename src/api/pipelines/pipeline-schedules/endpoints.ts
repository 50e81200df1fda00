import { PipelineListed } from '#api/code/pipeline-summaries/index.ts';
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
import { periodParams, pipelinesOfSchedule } from '../pipelines/index.ts';
import {
  deletingSchedule,
  playingSchedule,
  readingSchedule,
  showsVariables,
  takingSchedule,
  updatingSchedule,
} from './access.ts';
import { createSchedule, turnOf } from './create.ts';
import { PipelineSchedule, PipelineScheduleDetail, type ShownSchedule } from './entities.ts';
import { CHANGED, NEW } from './parameters.ts';
import { fullNameOf } from './ref-names.ts';
import { playSchedule } from './run.ts';
import { listSchedules, deleteSchedule as remove, type ScheduleRow } from './store.ts';
import { changeSchedule, takeSchedule } from './update.ts';

/** Pipelines that are made at their times (contract/runners.md §4.7). */

interface To {
  readonly project: Project;
  readonly caller: Caller;
}

const shownTo = ({ project, caller }: To, schedule: ScheduleRow): ShownSchedule => ({
  ...schedule,
  showsVariables: showsVariables(caller, project, schedule),
});

const GONE = [404, '404 Pipeline Schedule Not Found'] as const;

export const listPipelineSchedules = endpoint({
  get: '/projects/:id/pipeline_schedules',
  summary: 'List when pipelines of a project are made by themselves',
  access: inProject('read_pipeline'),
  params: { scope: optional(oneOf('active', 'inactive')) },
  response: page(PipelineSchedule),
  read: (db, { project, params, page }) => listSchedules(db, project.id, params.scope, page),
});

export const readPipelineSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Read a schedule of pipelines',
  access: readingSchedule(),
  response: ok(PipelineScheduleDetail),
  read: (_db, call) => shownTo(call, call.schedule),
});

export const listPipelinesOfSchedule = endpoint({
  get: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
  summary: 'List the pipelines that a schedule has made',
  access: readingSchedule(),
  params: { ...periodParams, sort: optional(oneOf('asc', 'desc'), 'asc') },
  response: page(PipelineListed),
  read: (db, { schedule, params, page }) => pipelinesOfSchedule(db, schedule.id, params, page),
});

export const createPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules',
  summary: 'Have pipelines made at their times',
  access: inProject('update_pipeline'),
  params: NEW,
  errors: { invalid: INVALID },
  response: created(PipelineScheduleDetail),
  async handle({ project, caller, params }, { git, runUnitOfWork }) {
    const ref = await fullNameOf(git, project, params.ref);
    const { description, cron, cron_timezone, active } = params;
    const wish = { description, ref, cron, cron_timezone, active };
    const made = await runUnitOfWork(caller, (uow) => createSchedule(uow, project, wish), { turn: turnOf(project) });
    return isFailure(made) ? made : shownTo({ project, caller }, made);
  },
});

export const updatePipelineSchedule = endpoint({
  put: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Change a schedule of pipelines',
  access: updatingSchedule(),
  params: CHANGED,
  errors: { invalid: INVALID, gone: GONE },
  response: ok(PipelineScheduleDetail),
  async handle({ project, caller, schedule, params }, { git, runUnitOfWork }) {
    const { ref, description, cron, cron_timezone, active } = params;
    const changes = {
      ...(description == null ? {} : { description }),
      ...(ref == null ? {} : { ref: await fullNameOf(git, project, ref) }),
      ...(cron == null ? {} : { cron }),
      ...(cron_timezone == null ? {} : { cron_timezone }),
      ...(active == null ? {} : { active }),
    };
    const changed = await runUnitOfWork(caller, (uow) => changeSchedule(uow, project, schedule, changes));
    return isFailure(changed) ? changed : shownTo({ project, caller }, changed);
  },
});

export const takeOwnershipOfPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership',
  summary: 'Have the pipelines of a schedule run in the name of whoever asks for it',
  access: takingSchedule(),
  errors: { gone: GONE },
  response: created(PipelineScheduleDetail),
  async write(uow, { project, caller, schedule }) {
    const taken = await takeSchedule(uow, schedule);
    if (isFailure(taken)) return taken;
    const status = schedule.owner_id === caller.user.id ? 200 : undefined;
    return new Reply(shownTo({ project, caller }, taken), { status });
  },
});

export const playPipelineSchedule = endpoint({
  post: '/projects/:id/pipeline_schedules/:pipeline_schedule_id/play',
  summary: 'Make a pipeline of a schedule now',
  access: playingSchedule(),
  response: created(rawEntity(Message)),
  async write(uow, { caller, schedule }) {
    await enqueue(uow, playSchedule, { scheduleId: schedule.id, userId: caller.user.id });
    return { message: '201 Created' };
  },
});

export const deletePipelineSchedule = endpoint({
  delete: '/projects/:id/pipeline_schedules/:pipeline_schedule_id',
  summary: 'Delete a schedule, whose pipelines stay',
  access: deletingSchedule(),
  lastModified: ({ schedule }) => schedule.updated_at,
  response: noContent,
  write: (uow, { schedule }) => remove(uow, schedule.id),
});

export * from './variable-endpoints.ts';

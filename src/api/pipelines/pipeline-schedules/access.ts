import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayReadPipelines, mayRunOn } from '#authorization/pipelines.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import { type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { maySetPipelineVariables } from '../variables/index.ts';
import { placeOf } from './ref-names.ts';
import { findSchedule, type ScheduleRow } from './store.ts';
import { findVariable } from './variables.ts';

/** Who does what with schedules (contract/runners.md §4.7). */

interface InProject {
  readonly project: Project;
}

/** The schedule that the path names: to whoever may not read pipelines none is there. */
const scheduleOfPath = {
  name: 'schedule',
  params: { pipeline_schedule_id: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly pipeline_schedule_id: number }>, { project }: InProject) =>
    mayReadPipelines(caller, project) ? findSchedule(db, project.id, params.pipeline_schedule_id) : null,
  notFound: () => notFound('Pipeline Schedule'),
} as const;

/** Of that schedule the variable that the path names. */
export const variableOfPath = {
  name: 'variable',
  load: ({ db, path }: AccessCall, { schedule }: { readonly schedule: ScheduleRow }) =>
    findVariable(db, schedule.id, path.key ?? ''),
  notFound: () => notFound('Pipeline Schedule Variable'),
} as const;

interface Found {
  readonly project: Project;
  readonly caller: SignedInCaller;
  readonly schedule: ScheduleRow;
}

type InSchedule = Access<Found, typeof scheduleOfPath.params>;

export function readingSchedule(): InSchedule {
  return withRight(() => true, 'project:read_pipeline (else 404)');
}

export const updatingSchedule = (): InSchedule => withRight(mayUpdate, 'its owner');
export const deletingSchedule = (): InSchedule => withRight(mayDelete, 'project:admin_pipeline or its owner');
export const takingSchedule = (): InSchedule => withRight(mayTake, 'project:admin_pipeline or its owner');

export function playingSchedule(): InSchedule {
  return withRight(mayPlay, 'project:update_pipeline + push or merge to its ref');
}

const SETTING = 'the right to set pipeline variables';

export function changingVariables(): InSchedule {
  return withRight((found) => mayUpdate(found) && maySet(found), `its owner + ${SETTING}`);
}

export function deletingVariables(): InSchedule {
  return withRight((found) => mayDelete(found) && maySet(found), `project:admin_pipeline or its owner + ${SETTING}`);
}

function withRight(right: (found: Found, call: AccessCall) => boolean | Promise<boolean>, label: string): InSchedule {
  return inProject('read_project')
    .resource(scheduleOfPath)
    .require(async (call, found) => {
      if (!(await right(found, call))) throw forbidden();
    }, label);
}

const isOwn = ({ caller, schedule }: Found) => schedule.owner_id === caller.user.id;
const maySet = ({ caller, project }: Found) => maySetPipelineVariables(caller, project);

function mayUpdate(found: Found): boolean {
  const { caller, project } = found;
  return mayInProject(caller, 'update_pipeline', project) && (isOwn(found) || isAdministrator(caller));
}

function mayDelete(found: Found): boolean {
  const { caller, project } = found;
  return mayInProject(caller, 'admin_pipeline', project) || (isOwn(found) && mayUpdate(found));
}

const mayTake = (found: Found) => isOwn(found) || mayInProject(found.caller, 'admin_pipeline', found.project);

const mayPlay = ({ caller, project, schedule }: Found, { db }: AccessCall) =>
  mayRunOn(db, caller, project, placeOf(schedule.ref));

/** May he read what the schedule gives to its pipelines: a Maintainer, and its owner while he is a Developer? */
export function showsVariables(caller: Caller, project: Project, { owner_id }: Pick<ScheduleRow, 'owner_id'>): boolean {
  const role = roleIn(caller, project);
  return role >= MAINTAINER || (role >= DEVELOPER && owner_id !== null && owner_id === caller.user?.id);
}

import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayReadPipelines, mayRunPipelineOn } from '#authorization/pipelines.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidRefName, resolveRef } from '#git/refs/refs.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { canSetPipelineVariables } from '../variables/index.ts';
import { findSchedule, findScheduleVariable, type ScheduleRow } from './store.ts';

// Access to pipeline schedules (contract/runners.md §4.7).

interface ScheduleProject {
  readonly project: Project;
}

/** The schedule in the path; callers who may not read pipelines get 404. */
const scheduleResource = {
  name: 'schedule',
  params: { pipeline_schedule_id: required(integer) },
  load: (
    { db, caller, params }: AccessCall<{ readonly pipeline_schedule_id: number }>,
    { project }: ScheduleProject,
  ) => (mayReadPipelines(caller, project) ? findSchedule(db, project.id, params.pipeline_schedule_id) : null),
  notFound: () => notFound('Pipeline Schedule'),
} as const;

/** The schedule variable in the path. */
export const scheduleVariableResource = {
  name: 'variable',
  load: ({ db, path }: AccessCall, { schedule }: { readonly schedule: ScheduleRow }) =>
    findScheduleVariable(db, schedule.id, path.key ?? ''),
  notFound: () => notFound('Pipeline Schedule Variable'),
} as const;

interface ScheduleContext {
  readonly project: Project;
  readonly caller: SignedInCaller;
  readonly schedule: ScheduleRow;
}

type ScheduleAccess = Access<ScheduleContext, typeof scheduleResource.params>;

/** Access for callers who may read pipelines. */
export function readScheduleAccess(): ScheduleAccess {
  return scheduleAccess(() => true, 'project:read_pipeline (else 404)');
}

/** Access for the owner while they are a Developer, and for administrators. */
export const updateScheduleAccess = (): ScheduleAccess => scheduleAccess(mayUpdateSchedule, 'its owner');

/** Access for Maintainers, and for those who may update the schedule. */
export const deleteScheduleAccess = (): ScheduleAccess =>
  scheduleAccess(mayDeleteSchedule, 'project:admin_pipeline or its owner');

/** Access for Maintainers, and for the owner. */
export const takeScheduleAccess = (): ScheduleAccess =>
  scheduleAccess(mayTakeOwnership, 'project:admin_pipeline or its owner');

/** Requires a caller who may run pipelines on the schedule's ref. */
export function playScheduleAccess(): ScheduleAccess {
  return scheduleAccess(mayPlaySchedule, 'project:update_pipeline + push or merge to its ref');
}

const SET_VARIABLES_LABEL = 'the right to set pipeline variables';

/** Access for those who may update the schedule and set pipeline variables. */
export function updateVariablesAccess(): ScheduleAccess {
  return scheduleAccess(
    (context) => mayUpdateSchedule(context) && maySetVariables(context),
    `its owner + ${SET_VARIABLES_LABEL}`,
  );
}

/** Access for those who may delete the schedule and set pipeline variables. */
export function deleteVariablesAccess(): ScheduleAccess {
  return scheduleAccess(
    (context) => mayDeleteSchedule(context) && maySetVariables(context),
    `project:admin_pipeline or its owner + ${SET_VARIABLES_LABEL}`,
  );
}

function scheduleAccess(
  isAllowed: (context: ScheduleContext, call: AccessCall) => boolean | Promise<boolean>,
  label: string,
): ScheduleAccess {
  return inProject('read_project')
    .resource(scheduleResource)
    .require(async (call, context) => {
      if (!(await isAllowed(context, call))) throw forbidden();
    })
    .withLabel(label);
}

const isOwner = ({ caller, schedule }: ScheduleContext) => schedule.owner_id === caller.user.id;
const maySetVariables = ({ caller, project }: ScheduleContext) => canSetPipelineVariables(caller, project);

function mayUpdateSchedule(context: ScheduleContext): boolean {
  const { caller, project } = context;
  return mayInProject(caller, 'update_pipeline', project) && (isOwner(context) || isAdministrator(caller));
}

function mayDeleteSchedule(context: ScheduleContext): boolean {
  const { caller, project } = context;
  return mayInProject(caller, 'admin_pipeline', project) || (isOwner(context) && mayUpdateSchedule(context));
}

const mayTakeOwnership = (context: ScheduleContext) =>
  isOwner(context) || mayInProject(context.caller, 'admin_pipeline', context.project);

const mayPlaySchedule = ({ caller, project, schedule }: ScheduleContext, { db }: AccessCall) =>
  mayRunPipelineOn(db, caller, project, toBranchOrTag(schedule.ref));

/**
 * Returns whether the caller may read the schedule's variables: Maintainers, and the owner while they are a Developer.
 */
export function mayReadScheduleVariables(
  caller: Caller,
  project: Project,
  { owner_id }: Pick<ScheduleRow, 'owner_id'>,
): boolean {
  const role = getProjectRole(caller, project);
  return role >= MAINTAINER || (role >= DEVELOPER && owner_id !== null && owner_id === caller.user?.id);
}

/**
 * Returns the full name, which schedules store, for a short or full name. Null: there is no such ref, or both a branch and a tag.
 */
export async function findFullRefName(git: Git, project: Project, name: string): Promise<string | null> {
  const repository = getRepository(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  const matches: string[] = [];
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    if (isValidRefName(ref) && (await resolveRef(repository, ref)) !== null) matches.push(ref);
  }
  return matches.length === 1 ? matches[0]! : null;
}

/** Returns the short name and kind of a ref, for permission checks. */
export function toBranchOrTag(fullName: string): { readonly ref: string; readonly tag: boolean } {
  const tag = fullName.startsWith(TAGS);
  return { ref: fullName.slice((tag ? TAGS : HEADS).length), tag };
}

import { type AuditEventName, INSTANCE } from '#activity/index.ts';
import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { findOwnerProjectId, mayUpdateRunner, type Runner, runnerColumns } from '#authorization/runners.ts';
import type { Transaction } from '#database/database.ts';
import type { RunnerType } from '#database/schema.ts';
import { findGroup } from '#domain/namespaces/groups.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { RunnerOwner } from '#domain/runners/registration-tokens.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type Failure, type FieldErrors, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { loadSettings, type SettingName } from '#settings/settings.ts';
import type { IssuedRunner } from './entities.ts';
import type { MachineInfo } from './managers.ts';
import {
  countRunnersOfProject,
  incrementQueueVersion,
  insertAssociation,
  insertRunner,
  insertTags,
  listRunnerTags,
  removeAssociation,
  replaceTags,
} from './store.ts';
import {
  applyContentChanges,
  distinctTags,
  formatErrorSentence,
  type RunnerContentInput,
  validateContent,
} from './validation.ts';

/** The parameters that creation and registration share. */
interface RunnerInput extends RunnerContentInput {
  readonly tag_list?: readonly string[] | null | undefined;
}

interface CreateRunnerInput extends RunnerInput {
  readonly runner_type: RunnerType;
  readonly group_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
}

/** Creates a runner on behalf of a user, who becomes its creator (contract/runners.md §2.1). */
export async function createRunner(
  uow: UnitOfWork<SignedInCaller>,
  input: CreateRunnerInput,
): Promise<IssuedRunner | Failure<'noGroup' | 'noProject' | 'notPermitted' | 'invalidAttributes'>> {
  const owner = await findOwner(uow, input);
  if (isFailure(owner)) return owner;
  const result = await insertValidRunner(uow, owner, input, { creatorId: uow.actor.user.id });
  if (isFailure(result))
    return fail('invalidAttributes', { sentence: formatErrorSentence(result.values.errors as FieldErrors) });
  await recordRunnerCreated(uow, result.runner);
  return result.issuedToken;
}

/** Returns the owner of the new runner, or why the caller may not create a runner for it. */
async function findOwner(
  uow: UnitOfWork<SignedInCaller>,
  { runner_type, group_id, project_id }: CreateRunnerInput,
): Promise<RunnerOwner | Failure<'noGroup' | 'noProject' | 'notPermitted'>> {
  const { actor: caller } = uow;
  if (runner_type === 'instance_type') return isAdministrator(caller) ? { type: 'instance' } : fail('notPermitted');
  if (runner_type === 'group_type') {
    const group = await findGroup(uow, caller, String(group_id));
    if (group === null) return fail('noGroup');
    return mayInGroup(caller, 'create_runner', group) ? { type: 'group', id: group.id } : fail('notPermitted');
  }
  const project = await findProject(uow, caller, String(project_id));
  if (project === null) return fail('noProject');
  return mayInProject(caller, 'admin_runner', project) ? { type: 'project', id: project.id } : fail('notPermitted');
}

interface RegisterRunnerInput extends RunnerInput {
  /** The registration token. */
  readonly token: string;
  readonly name?: string | null | undefined;
  readonly info?: MachineInfo | null | undefined;
}

/** Creates a runner for the holder of a registration token (contract/runners.md §1.8). */
export async function registerRunner(
  uow: UnitOfWork,
  owner: RunnerOwner,
  registration: RegisterRunnerInput,
): Promise<IssuedRunner | Failure<'invalid'>> {
  const result = await insertValidRunner(uow, owner, registration, { creatorId: null });
  if (isFailure(result)) return result;
  await recordRunnerRegistered(uow, result.runner, registration.token);
  return result.issuedToken;
}

/** Validates and inserts a runner with its tags, and returns it with its new token. */
async function insertValidRunner(
  uow: UnitOfWork,
  owner: RunnerOwner,
  input: RunnerInput & Pick<RegisterRunnerInput, 'name' | 'info'>,
  { creatorId }: { readonly creatorId: number | null },
): Promise<{ readonly runner: Runner; readonly issuedToken: IssuedRunner } | Failure<'invalid'>> {
  const content = applyContentChanges(input);
  const tags = distinctTags(input.tag_list) ?? [];
  const errors = validateContent(content, { count: tags.length, isChanged: true });
  if (errors) return invalid(errors);
  const registration_type = creatorId === null ? 'registration_token' : 'authenticated_user';
  const runner_type = `${owner.type}_type` as const;
  const { token, ...tokenColumns } = await generateRunnerToken(uow, { runner_type, registration_type });
  const { version, revision, platform, architecture } = input.info ?? {};
  const runner = await insertRunner(uow, {
    ...content,
    ...tokenColumns,
    runner_type,
    registration_type,
    creator_id: creatorId,
    group_id: owner.type === 'group' ? owner.id : null,
    name: input.name || null,
    version: version || null,
    revision: revision || null,
    platform: platform || null,
    architecture: architecture || null,
  });
  if (owner.type === 'project') await insertAssociation(uow, runner.id, owner.id);
  await insertTags(uow, runner.id, tags);
  return { runner, issuedToken: { id: runner.id, token, token_expires_at: runner.token_expires_at } };
}

/** Updates a runner and changes its queue version, so that it requests jobs again (contract/runners.md §1.3). */
export async function updateRunner(
  uow: UnitOfWork<SignedInCaller>,
  runner: Runner,
  changes: RunnerContentInput & { readonly tag_list?: readonly string[] | null | undefined },
): Promise<Runner | Failure<'invalid'>> {
  const content = applyContentChanges(changes, runner);
  const tags = distinctTags(changes.tag_list);
  const currentTags = await listRunnerTags(uow, runner.id);
  const isChanged =
    tags !== undefined && (tags.length !== currentTags.length || tags.some((tag) => !currentTags.includes(tag)));
  const errors = validateContent(content, { count: (tags ?? currentTags).length, isChanged });
  if (errors) return invalid(errors);
  if (tags !== undefined) await replaceTags(uow, runner.id, tags);
  const updatedRunner = await uow
    .updateTable('runners')
    .set((eb) => ({ ...content, ...incrementQueueVersion(eb), updated_at: uow.now }))
    .where('id', '=', runner.id)
    .returning(runnerColumns)
    .executeTakeFirst();
  return requireRow(updatedRunner);
}

/** Deletes a runner and its managers. Its jobs stay, and running jobs continue (contract/runners.md §1.4). */
export async function deleteRunner(uow: UnitOfWork, runner: Runner): Promise<void> {
  await recordRunnerUnregistered(uow, runner);
  await uow.deleteFrom('runners').where('id', '=', runner.id).execute();
}

// Audit events of runners (contract/activity.md Part 3).

async function recordRunnerCreated(uow: UnitOfWork, runner: Runner): Promise<void> {
  await recordEvent(uow, runner, { name: 'ci_runner_created', message: `Created ${getRunnerKind(runner)} CI runner` });
}

/** Records a registration. `token`: the registration token used; the audit log shows its first eight characters. */
async function recordRunnerRegistered(uow: UnitOfWork, runner: Runner, token: string): Promise<void> {
  await recordEvent(uow, runner, {
    name: 'ci_runner_registered',
    message: `Registered ${getRunnerKind(runner)} CI runner`,
    details: { runner_registration_token: token.slice(0, 8) },
  });
}

/** Records the deletion of a runner, which must still exist. */
async function recordRunnerUnregistered(uow: UnitOfWork, runner: Runner): Promise<void> {
  const lastContact = runner.contacted_at === null ? 'never contacted' : `last contacted ${runner.contacted_at}`;
  await recordEvent(uow, runner, {
    name: 'ci_runner_unregistered',
    message: `Unregistered ${getRunnerKind(runner)} CI runner, ${lastContact}`,
  });
}

/** Records that a runner was assigned to a project, or unassigned. */
async function recordAssociation(
  uow: UnitOfWork,
  runner: Runner,
  {
    project,
    added,
  }: { readonly project: { readonly id: number; readonly full_path: string }; readonly added: boolean },
): Promise<void> {
  const { id, full_path } = project;
  await uow.record({
    name: added ? 'ci_runner_assigned_to_project' : 'ci_runner_unassigned_from_project',
    entity: { type: 'Project', id, path: full_path },
    target: { type: 'Ci::Runner', id: runner.id, details: `/${full_path}/-/runners/${runner.id}` },
    message: added ? 'Assigned CI runner to project' : 'Unassigned CI runner from project',
  });
}

interface RunnerEvent {
  readonly name: AuditEventName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

async function recordEvent(uow: UnitOfWork, runner: Runner, event: RunnerEvent): Promise<void> {
  const { entity, page } = await findAuditLocation(uow, runner);
  await uow.record({ ...event, entity, target: { type: 'Ci::Runner', id: runner.id, details: page } });
}

/** Returns the entity whose audit log records the event, and the path of the runner's page. */
async function findAuditLocation(uow: UnitOfWork, { id, runner_type, group_id }: Runner) {
  if (group_id !== null) {
    const path = await getPath(uow, 'namespace_id', group_id);
    return { entity: { type: 'Group', id: group_id, path }, page: `/groups/${path}/-/runners/${id}` } as const;
  }
  const projectId = runner_type === 'project_type' ? await findOwnerProjectId(uow, id) : null;
  if (projectId === null) return { entity: INSTANCE, page: `/admin/runners/${id}` } as const;
  const path = await getPath(uow, 'project_id', projectId);
  return { entity: { type: 'Project', id: projectId, path }, page: `/${path}/-/runners/${id}` } as const;
}

// index: routes_by_namespace, routes_by_project
async function getPath(uow: UnitOfWork, column: 'namespace_id' | 'project_id', id: number): Promise<string> {
  const route = await uow.selectFrom('routes').select('full_path').where(column, '=', id).executeTakeFirst();
  return route?.full_path ?? '';
}

function getRunnerKind({ runner_type }: Pick<Runner, 'runner_type'>): string {
  return runner_type.replace('_type', '');
}

// Assignment of project runners to several projects (contract/runners.md §1.6).

const MAX_RUNNERS_PER_PROJECT = 1000;

type AssignFailure = 'isGroupRunner' | 'locked' | 'notPermitted' | 'isInstanceRunner' | 'tooManyRunners';

/** Assigns a runner to another project. */
export async function assignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<Runner | Failure<AssignFailure>> {
  const isAdmin = isAdministrator(uow.actor);
  if (runner.runner_type === 'group_type') return fail('isGroupRunner');
  if (runner.runner_type === 'instance_type') return fail(isAdmin ? 'isInstanceRunner' : 'notPermitted');
  if (runner.locked && !isAdmin) return fail('locked');
  if (!(await mayUpdateRunner(uow, uow.actor, runner))) return fail('notPermitted');
  if ((await countRunnersOfProject(uow, project.id)) >= MAX_RUNNERS_PER_PROJECT) return fail('tooManyRunners');
  await insertAssociation(uow, runner.id, project.id);
  await recordAssociation(uow, runner, { project, added: true });
  return runner;
}

/** Unassigns a runner from a project that is not its owner. */
export async function unassignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<undefined | Failure<'locked' | 'notPermitted' | 'isOwnerProject' | 'notFound'>> {
  const isAdmin = isAdministrator(uow.actor);
  if ((await findOwnerProjectId(uow, runner.id)) === project.id) {
    return fail(isAdmin ? 'isOwnerProject' : 'notPermitted');
  }
  if (runner.locked && !isAdmin) return fail('locked');
  if (!(await removeAssociation(uow, runner.id, project.id))) return fail('notFound');
  await recordAssociation(uow, runner, { project, added: false });
}

/**
 * Deletes the runners that only a deleted project used. The owner of a runner is the first of its projects, so the next one becomes
 * the owner of the others. A project has at most a thousand runners. Runners of a group are deleted by a cascade.
 */
export const releaseRunnersOfProject = defineSubscription({
  event: 'project-destroyed',
  async inTransaction(uow, { projectId }) {
    // index: runner_projects_by_project, runner_projects_by_runner
    const runnerIds = uow
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id')
      .where('project_id', '=', projectId);
    await uow
      .deleteFrom('runners')
      .where('id', 'in', runnerIds)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('runner_projects as other_projects')
              .select('other_projects.id')
              .whereRef('other_projects.runner_id', '=', 'runners.id')
              .where('other_projects.project_id', '<>', projectId),
          ),
        ),
      )
      .execute();
    await uow.updateTable('runners').set(incrementQueueVersion).where('id', 'in', runnerIds).execute();
  },
}) satisfies AnySubscription<object>;

// Authentication tokens of runners (contract/runners.md §2.2, §2.3). Only their hashes are stored.

/** Token prefixes, which tell gitlab-runner whether the server or the runner defines its settings. */
const TOKEN_PREFIXES = { authenticated_user: 'glrt-', registration_token: 'glrtr-' } as const;

const EXPIRATION_SETTINGS = {
  instance_type: 'runner_token_expiration_interval',
  group_type: 'group_runner_token_expiration_interval',
  project_type: 'project_runner_token_expiration_interval',
} as const satisfies Record<RunnerType, SettingName>;

/**
 * Generates a token for a runner of this type. Returns the token, its hash, and its expiry from the setting of the
 * runner type.
 */
async function generateRunnerToken(
  tx: Transaction,
  { runner_type, registration_type }: Pick<Runner, 'runner_type' | 'registration_type'>,
) {
  const token = generateToken(TOKEN_PREFIXES[registration_type]);
  const seconds = (await loadSettings(tx))[EXPIRATION_SETTINGS[runner_type]];
  const token_expires_at = seconds === null ? null : addMilliseconds(tx.now, seconds * 1000);
  return { token, token_digest: hashToken(token), token_expires_at };
}

/** Replaces the token of a runner; the old one is invalid immediately. */
export async function resetRunnerToken(tx: Transaction, runner: Runner): Promise<IssuedRunner> {
  const { token, ...tokenColumns } = await generateRunnerToken(tx, runner);
  await tx
    .updateTable('runners')
    .set({ ...tokenColumns, updated_at: tx.now })
    .where('id', '=', runner.id)
    .execute();
  return { id: runner.id, token, token_expires_at: tokenColumns.token_expires_at };
}

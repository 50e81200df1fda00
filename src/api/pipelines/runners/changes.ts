import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { type Runner, runnerColumns } from '#authorization/runners.ts';
import type { RunnerType } from '#database/schema.ts';
import { findGroup } from '#domain/namespaces/groups.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { RunnerOwner } from '#domain/runners/registration-tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import { recordRunnerCreated, recordRunnerRegistered, recordRunnerUnregistered } from './activity.ts';
import type { IssuedRunner } from './entities.ts';
import type { MachineInfo } from './managers/managers.ts';
import { generateRunnerToken } from './registration/tokens.ts';
import {
  incrementQueueVersion,
  insertAssociation,
  insertRunner,
  insertTags,
  listRunnerTags,
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
    return fail('invalidAttributes', { sentence: formatErrorSentence(result.values.errors as never) });
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

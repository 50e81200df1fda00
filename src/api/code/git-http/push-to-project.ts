import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import { hasNewObjects, listNewLfsPointers } from '#git/objects/lfs-pointer.ts';
import { GitError } from '#git/process/failures.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { PushRequest } from '#git/transport/receive-pack.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { isLfsEnabled, listUnlinkedOids } from '#repositories/lfs/lfs-objects.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginMove } from '#repositories/ref-updates/move-refs.ts';
import { limitPushOptions, type PushOptionHandler } from '#repositories/ref-updates/push-options.ts';
import type { RefPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';
import { checkPush, ForceUnknown, pushPermission } from './check-push.ts';
import { applyPushOptions, type PushTarget } from './push.ts';

/** A push to a project. */
interface ProjectPush {
  readonly project: Project;
  readonly caller: SignedInCaller;
  /** Returns the error message for a caller who has lost access. */
  readonly explainRefusal: () => Promise<string>;
  readonly optionHandlers: readonly PushOptionHandler[];
  /** Base of URLs in messages. */
  readonly baseUrl: string;
}

/** Returns the push target of a project. Its protection rules are checked for each ref. */
export function createProjectPushTarget(projectPush: ProjectPush): PushTarget {
  return {
    location: projectPush.project,
    begin: (services, push) => beginPush(services, projectPush, push).catch(toMissingObjectMessage),
    applyOptions: (services, push) => applyPushOptions(services, projectPush, push),
  };
}

/** Returns the error message if the push names objects that it does not contain. Rethrows other errors. */
function toMissingObjectMessage(error: unknown): string {
  if (error instanceof GitError && error.failure.kind === 'not-found')
    return 'The push names objects that are not here.';
  throw error;
}

/**
 * Checks a push and stores its intent. Returns the intent, or the error message: if one ref is rejected, so is the whole push. The
 * rules are checked before slower checks, and again in the transaction that writes the intent.
 */
async function beginPush(services: RefServices, projectPush: ProjectPush, push: PushRequest): Promise<Intent | string> {
  const { project } = projectPush;
  const { changes } = push;
  const forcedByChange = new Map<RefChange, boolean>();
  const isForced = (change: RefChange) => forcedByChange.get(change) ?? null;
  // Repeats a check until it needs to know of no further change whether it discards history.
  const resolveForced = async <Result>(check: () => Promise<Result | ForceUnknown>): Promise<Result> => {
    for (;;) {
      const result = await check();
      if (!(result instanceof ForceUnknown)) return result;
      for (const change of result.changes)
        forcedByChange.set(change, await isForcedUpdate(services, project, push, change));
    }
  };
  const ruleError = await resolveForced(() => checkPush(services.database.reader, projectPush, changes, isForced));
  const rejection = ruleError ?? (await findMissingLfs(services, project, push));
  return rejection ?? resolveForced(() => writeIntent(services, projectPush, push, pushPermission(changes, isForced)));
}

/** Returns the options for pipelines, which are stored with the push; undefined if there are none. */
function filterPipelineOptions(options: readonly string[]): string[] | undefined {
  const pipelineOptions = limitPushOptions(options).filter((option) => option.startsWith('ci.'));
  return pipelineOptions.length === 0 ? undefined : pipelineOptions;
}

/** Stores the intent of the push. Returns it, or why the push is rejected. */
async function writeIntent(
  services: RefServices,
  { project, caller, explainRefusal }: ProjectPush,
  { changes, pushOptions }: PushRequest,
  permission: RefPermission<'notPermitted'>,
): Promise<Intent | string | ForceUnknown> {
  try {
    const options = filterPipelineOptions(pushOptions);
    const intent = await beginMove(services, {
      project,
      actor: { caller, permission },
      changes,
      ...(options && { options }),
    });
    if (!isFailure(intent)) return intent;
    return intent.code === 'readOnly' ? REPOSITORY_READ_ONLY[1] : (intent.values.verdict as string | ForceUnknown);
  } catch (error) {
    if (error instanceof AccessRevoked) return explainRefusal();
    throw error;
  }
}

/** Returns whether the change discards history: the new commit does not descend from the old one. */
async function isForcedUpdate(
  { git }: RefServices,
  project: Project,
  { quarantine }: PushRequest,
  { oldId, newId }: RefChange,
): Promise<boolean> {
  return !(await isAncestor(git, getRepository(git, project), oldId, newId, quarantine));
}

/** Returns an error message if a new LFS pointer names an object that this project does not have; else null. */
async function findMissingLfs(
  { database, git }: RefServices,
  project: Project,
  push: PushRequest,
): Promise<string | null> {
  const tips = push.changes.map(({ newId }) => newId).filter((id) => id !== ZERO_ID);
  if (tips.length === 0 || !(await hasNewObjects(push.quarantine))) return null;
  if (!(await isLfsEnabled(database.reader, project))) return null;
  const oids = new Set<string>();
  for await (const { oid } of listNewLfsPointers(git, getRepository(git, project), tips, push.quarantine))
    oids.add(oid);
  const missing = await listUnlinkedOids(database.reader, project.id, [...oids]);
  return missing.length === 0
    ? null
    : 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
}

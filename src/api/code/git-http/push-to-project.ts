import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import { GitFailed } from '#git/process/failures.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { newLfsPointers } from '#git/transport/pushed-lfs-pointers.ts';
import type { Push } from '#git/transport/receive-pack.ts';
import { READ_ONLY } from '#http/errors/error-messages.ts';
import { isLfsOn, unlinkedOids } from '#repositories/lfs/lfs-objects.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginMove } from '#repositories/ref-updates/move-refs.ts';
import type { RefRight } from '#repositories/ref-updates/ref-permissions.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';
import { judgePush, toPush, Unsure } from './check-push.ts';
import type { Receiving } from './push.ts';

interface PushingToProject {
  readonly project: Project;
  readonly caller: SignedInCaller;
  /** What a pusher is told who would not be let in any more. */
  readonly whyNot: () => Promise<string>;
}

/** A project's repository, whose rules decide ref by ref. */
export function receivingProject(pushing: PushingToProject): Receiving {
  return { at: pushing.project, begin: (services, asked) => begin(services, pushing, asked).catch(refuseAbsent) };
}

/** git asks about refs too whose objects it has found missing. */
function refuseAbsent(error: unknown): string {
  if (error instanceof GitFailed && error.failure.kind === 'not-found')
    return 'The push names objects that are not here.';
  throw error;
}

/**
 * The intent, or what the client is told: one refusal refuses the whole push. The rules are asked before anything is
 * looked at that takes long, and again where the intent is written.
 */
async function begin(services: RefServices, pushing: PushingToProject, asked: Push): Promise<Intent | string> {
  const { project } = pushing;
  const { changes } = asked;
  const forced = new Map<RefChange, boolean>();
  const isForced = (change: RefChange) => forced.get(change) ?? null;
  const surely = async <Said>(ask: () => Promise<Said | Unsure>): Promise<Said> => {
    for (;;) {
      const said = await ask();
      if (!(said instanceof Unsure)) return said;
      for (const change of said.changes) forced.set(change, await leavesHistory(services, project, asked, change));
    }
  };
  const judged = await surely(() => judgePush(services.database.reader, pushing, changes, isForced));
  const refusal = judged ?? (await missingLfs(services, project, asked));
  return refusal ?? surely(() => writeDown(services, pushing, asked, toPush(changes, isForced)));
}

/** What is kept of a push's options: those that somebody hears, and not more than these say in earnest. */
const MOST_OPTIONS = 100;
const MOST_OPTION_CHARACTERS = 64 * 1024;

function keptOptions(options: readonly string[]): string[] | undefined {
  let characters = 0;
  const kept = options.filter((option) => {
    if (!option.startsWith('ci.')) return false;
    characters += option.length;
    return characters <= MOST_OPTION_CHARACTERS;
  });
  return kept.length === 0 ? undefined : kept.slice(0, MOST_OPTIONS);
}

async function writeDown(
  services: RefServices,
  { project, caller, whyNot }: PushingToProject,
  { changes, pushOptions }: Push,
  may: RefRight<'judged'>,
): Promise<Intent | string | Unsure> {
  try {
    const options = keptOptions(pushOptions);
    const begun = await beginMove(services, { project, by: { caller, may }, changes, ...(options && { options }) });
    if (!isFailure(begun)) return begun;
    return begun.code === 'readOnly' ? READ_ONLY[1] : (begun.values.judgement as string | Unsure);
  } catch (error) {
    if (error instanceof AccessRevoked) return whyNot();
    throw error;
  }
}

async function leavesHistory(
  { git }: RefServices,
  project: Project,
  { quarantine }: Push,
  { oldId, newId }: RefChange,
): Promise<boolean> {
  return !(await isAncestor(git, repositoryOf(git, project), oldId, newId, quarantine));
}

/** New LFS pointers must name objects that this project has. */
async function missingLfs({ database, git }: RefServices, project: Project, push: Push): Promise<string | null> {
  const tips = push.changes.map(({ newId }) => newId).filter((id) => id !== zeroId);
  if (tips.length === 0 || !(await isLfsOn(database.reader, project))) return null;
  const pointed = new Set<string>();
  for await (const { oid } of newLfsPointers(git, repositoryOf(git, project), tips, push.quarantine)) pointed.add(oid);
  const missing = await unlinkedOids(database.reader, project.id, [...pointed]);
  return missing.length === 0
    ? null
    : 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
}

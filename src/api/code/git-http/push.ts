import type { Readable, Writable } from 'node:stream';
import { gitForClient } from '#git/git.ts';
import { refLocks, removeStaleRefLocks } from '#git/refs/stale-locks.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { ensureRepository } from '#git/storage/storage.ts';
import { type PushRequest, receivePack } from '#git/transport/receive-pack.ts';
import { completeIntent } from '#repositories/ref-updates/complete-intent.ts';
import { type Intent, keepIntentLease } from '#repositories/ref-updates/intents.ts';
import { discardIntent } from '#repositories/ref-updates/move-refs.ts';
import {
  type CompletedPush,
  limitPushOptions,
  type PushOption,
  type PushOptionHandler,
  parsePushOption,
} from '#repositories/ref-updates/push-options.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';

/** The repository that receives a push, and the rules of its kind (project, wiki or snippet). */
export interface PushTarget {
  readonly location: LocatedRepository;
  /** Runs before any ref moves. Returns the intent, or the error message for the client. */
  begin(services: RefServices, push: PushRequest): Promise<Intent | string>;
  /** Carries out the push options after refs have moved. Returns lines for the client. */
  applyOptions(
    services: RefServices,
    push: { readonly changes: readonly RefChange[]; readonly options: readonly string[] },
  ): Promise<readonly string[]>;
}

/**
 * Receives a push. Its objects stay in quarantine, apart from the repository, until it is checked. Then an intent is stored, git moves
 * the refs, and the intent is completed or discarded before the connection ends. Only refs that git reports as moved count.
 */
export async function receivePushToTarget(
  refServices: RefServices,
  target: PushTarget,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const { location } = target;
  // A client that disconnects after sending its pack does not cancel its push.
  const services = { ...refServices, git: gitForClient(refServices.git, null) };
  await ensureRepository(getRepository(services.git, location), { defaultBranch: location.default_branch });
  let intent: Intent | null = null;
  let options: readonly string[] = [];
  let releaseIntent = async () => {};
  const receiveResult = receivePack(services.git, getRepository(services.git, location), {
    input,
    output,
    async check(request) {
      const result = await target.begin(services, request);
      if (typeof result === 'string') return { refuse: result };
      intent = result;
      options = limitPushOptions(request.pushOptions);
      releaseIntent = keepIntentLease(services, result);
      return 'accept';
    },
    async afterMove(movedRefs) {
      if (intent === null) return [];
      await (movedRefs.length === 0 ? discardIntent(services, intent) : completeIntent(services, intent, movedRefs));
      // A lock file that a dead process has left may have blocked a ref. It is removed, so that the next push succeeds.
      if (movedRefs.length < intent.changes.length) await removeLeftoverLocks(services, location, intent, movedRefs);
      return movedRefs.length === 0 || options.length === 0
        ? []
        : target.applyOptions(services, { changes: movedRefs, options });
    },
  });
  await receiveResult.finally(() => releaseIntent());
}

/** Removes stale lock files of the refs that did not move. */
async function removeLeftoverLocks(
  { git }: RefServices,
  location: LocatedRepository,
  { changes }: Intent,
  movedRefs: readonly RefChange[],
) {
  const repository = getRepository(git, location);
  const movedNames = new Set(movedRefs.map(({ ref }) => ref));
  const remainingRefs = changes.map(({ ref }) => ref).filter((ref) => !movedNames.has(ref));
  try {
    await refLocks(git)(repository.directory, () => removeStaleRefLocks(git, repository, remainingRefs));
  } catch (error) {
    // If the queue of this repository is full, a waiting cleanup removes the lock files.
    if (!(error instanceof QueueFull)) throw error;
  }
}

/** Options that pipelines carry out in the background (contract/runners.md §4.2). */
const PIPELINE_OPTIONS = ['ci.skip', 'ci.variable', 'ci.no_pipeline'];

/** Maximum number of unknown options in the message, and maximum characters of each. */
const MAX_UNKNOWN = 10;
const MAX_UNKNOWN_CHARACTERS = 100;

/** The push, and the handlers of its options. */
interface OptionContext extends Pick<CompletedPush, 'caller' | 'project' | 'baseUrl'> {
  readonly optionHandlers: readonly PushOptionHandler[];
}

/** Carries out the options of a push whose refs have moved. Returns lines for the client, which name unknown options. */
export async function applyPushOptions(
  services: RefServices,
  { optionHandlers, caller, project, baseUrl }: OptionContext,
  { changes, options: texts }: { readonly changes: readonly RefChange[]; readonly options: readonly string[] },
): Promise<string[]> {
  const options = texts.map(parsePushOption);
  const lines: string[] = [];
  for (const { options: names, handle } of optionHandlers) {
    const push = { caller, project, baseUrl, changes, options: options.filter(({ name }) => names.includes(name)) };
    if (push.options.length === 0) continue;
    try {
      lines.push(...(await handle(services, push)));
    } catch (error) {
      services.git.log('push_options_failed', { project: project.id, err: error });
      lines.push('WARNING: The push options could not be carried out');
    }
  }
  const names = [...PIPELINE_OPTIONS, ...optionHandlers.flatMap((handler) => handler.options)];
  return [...lines, ...describeUnknown(options.filter(({ name }) => !names.includes(name)))];
}

/** Returns the line for the client after a push with options to a wiki or a snippet, where they have no effect. */
export async function warnAboutPushOptions(): Promise<string[]> {
  return ['WARNING: Push options have an effect in projects only'];
}

/** Returns the line that names unknown options; none if all are known. */
function describeUnknown(options: readonly PushOption[]): string[] {
  const names = [...new Set(options.map(({ name }) => name))];
  if (names.length === 0) return [];
  const shownNames = names.slice(0, MAX_UNKNOWN).map((name) => `'${name.slice(0, MAX_UNKNOWN_CHARACTERS)}'`);
  const more = names.length > MAX_UNKNOWN ? ` and ${names.length - MAX_UNKNOWN} more` : '';
  return [`WARNING: Unknown push options have no effect: ${shownNames.join(', ')}${more}`];
}

import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { MAX_SNIPPET_FILES, type Snippet } from '#domain/snippets.ts';
import { GitError } from '#git/process/failures.ts';
import { runGit } from '#git/process/spawn.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { PushRequest } from '#git/transport/receive-pack.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginSnippetMove } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';
import { NO_FILES, TOO_MANY_FILES } from '../snippets/index.ts';
import { checkOtherRef } from './check-push.ts';
import { type PushTarget, warnAboutPushOptions } from './push.ts';

/** A push to a snippet. */
interface SnippetPush {
  readonly snippet: Snippet;
  readonly caller: SignedInCaller;
  /** Returns the error message for a caller who has lost access. */
  readonly explainRefusal: () => Promise<string>;
}

/**
 * Returns the push target of a snippet. A push can move its branches, but neither create nor delete one, and the number of files is
 * limited.
 */
export function createSnippetPushTarget(snippetPush: SnippetPush): PushTarget {
  return {
    location: snippetPush.snippet,
    begin: async (services, push) =>
      (await checkSnippetPush(services, snippetPush.snippet, push)) ?? writeIntent(services, snippetPush, push),
    applyOptions: warnAboutPushOptions,
  };
}

/** Returns the error message for the first rejected change; null if the push is allowed. */
async function checkSnippetPush(
  services: RefServices,
  snippet: Snippet,
  { changes, quarantine }: PushRequest,
): Promise<string | null> {
  for (const change of changes) {
    const { ref, oldId, newId } = change;
    if (ref.startsWith(TAGS)) continue;
    if (!ref.startsWith(HEADS)) {
      const refError = checkOtherRef(ref, change);
      if (refError !== null) return refError;
      continue;
    }
    if (oldId === ZERO_ID || newId === ZERO_ID) return 'You can not create or delete branches.';
    const rejection = await checkFiles(services, snippet, newId, quarantine);
    if (rejection !== null) return rejection;
  }
  return null;
}

/** Returns the error message for a commit with too many or no files; null otherwise. */
async function checkFiles(
  { git }: RefServices,
  snippet: Snippet,
  commitId: string,
  quarantine: PushRequest['quarantine'],
): Promise<string | null> {
  const invocation = { flags: ['-r', '-z', '--name-only', '--full-tree'], args: [commitId] };
  const result = await runGit(git, getRepository(git, snippet), 'ls-tree', invocation, { env: quarantine });
  // A list that exceeds the limit for output of git has too many files.
  if (!result.ok && result.failure.kind === 'too-large') return TOO_MANY_FILES;
  if (!result.ok) throw new GitError('ls-tree', result.failure);
  if (hasMoreFiles(result.stdout)) return TOO_MANY_FILES;
  return result.stdout.length === 0 ? NO_FILES : null;
}

/** Returns whether a list that separates names by NUL has more names than a snippet may have files. */
function hasMoreFiles(list: Buffer): boolean {
  let end = -1;
  for (let count = 0; count <= MAX_SNIPPET_FILES; count++) {
    end = list.indexOf(0, end + 1);
    if (end === -1) return false;
  }
  return true;
}

/** Stores the intent of the push. Returns it, or the error message for the client. */
async function writeIntent(
  services: RefServices,
  { snippet, caller, explainRefusal }: SnippetPush,
  { changes }: PushRequest,
): Promise<Intent | string> {
  try {
    const intent = await beginSnippetMove(services, { snippet, caller, changes });
    return isFailure(intent) ? REPOSITORY_READ_ONLY[1] : intent;
  } catch (error) {
    if (error instanceof AccessRevoked) return explainRefusal();
    throw error;
  }
}

import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Wiki } from '#domain/wikis.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { isValidBranchName, isValidTagName, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginWikiMove } from '#repositories/ref-updates/move-refs.ts';
import type { RefServices } from '#repositories/services.ts';
import { findOrCreateWiki } from '#repositories/wikis/find-or-create.ts';
import { isFailure } from '#runtime/failure.ts';
import { refusePushOptions } from './apply-options.ts';
import { checkOtherRef } from './check-push.ts';
import type { PushTarget } from './push.ts';

interface WikiPush {
  readonly parent: GroupOrProject;
  readonly caller: SignedInCaller;
  /** Returns the error message for a caller who has lost access. */
  readonly explainRefusal: () => Promise<string>;
}

/**
 * Returns the push target of a wiki, which its first push creates. Callers who may write may also force-push, but
 * cannot delete the default branch.
 */
export async function createWikiPushTarget(
  services: RefServices,
  { parent, caller, explainRefusal }: WikiPush,
): Promise<PushTarget> {
  const wiki = await findOrCreateWiki(services, caller, parent);
  if (isFailure(wiki)) throw new HttpError(403, REPOSITORY_READ_ONLY[1]);
  return {
    location: wiki,
    begin: async (services, { changes }) =>
      checkWikiPush(wiki, changes) ?? writeIntent(services, { wiki, caller, explainRefusal }, changes),
    applyOptions: refusePushOptions,
  };
}

/** Returns the error message for the first rejected change; null if the push is allowed. */
function checkWikiPush({ default_branch }: Wiki, changes: readonly RefChange[]): string | null {
  const rejections = changes.map((change) => {
    const { ref, oldId, newId } = change;
    const [isCreated, isDeleted] = [oldId === ZERO_ID, newId === ZERO_ID];
    if (ref.startsWith(HEADS)) {
      const name = ref.slice(HEADS.length);
      if (isDeleted) return name === default_branch ? 'The default branch of a wiki cannot be deleted.' : null;
      return isCreated && !isValidBranchName(name) ? 'Branch name is invalid' : null;
    }
    if (!ref.startsWith(TAGS)) return checkOtherRef(ref, change);
    return isCreated && !isDeleted && !isValidTagName(ref.slice(TAGS.length)) ? 'Tag name invalid' : null;
  });
  return rejections.find((rejection) => rejection !== null) ?? null;
}

async function writeIntent(
  services: RefServices,
  { wiki, caller, explainRefusal }: Pick<WikiPush, 'caller' | 'explainRefusal'> & { readonly wiki: Wiki },
  changes: readonly RefChange[],
): Promise<Intent | string> {
  try {
    const intent = await beginWikiMove(services, { wiki, actor: { caller, may: 'create_wiki' }, changes });
    return isFailure(intent) ? REPOSITORY_READ_ONLY[1] : intent;
  } catch (error) {
    if (error instanceof AccessRevoked) return explainRefusal();
    throw error;
  }
}

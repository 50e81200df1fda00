import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import type { Wiki } from '#domain/wikis.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { validBranchName, validTagName, zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { READ_ONLY } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { beginWikiMove } from '#repositories/ref-updates/move-refs.ts';
import type { RefServices } from '#repositories/services.ts';
import { ensureWiki } from '#repositories/wikis/find-or-create.ts';
import { isFailure } from '#runtime/failure.ts';
import type { Receiving } from './push.ts';

interface PushingToWiki {
  readonly place: Place;
  readonly caller: SignedInCaller;
  /** What a pusher is told who would not be let in any more. */
  readonly whyNot: () => Promise<string>;
}

/** A wiki, made by its first push: who may write there pushes what he likes, with force too, and keeps its default branch. */
export async function receivingWiki(
  services: RefServices,
  { place, caller, whyNot }: PushingToWiki,
): Promise<Receiving> {
  const wiki = await ensureWiki(services, caller, place);
  if (isFailure(wiki)) throw new HttpError(403, READ_ONLY[1]);
  return {
    at: wiki,
    begin: async (pushing, { changes }) =>
      judge(wiki, changes) ?? writeDown(pushing, { wiki, caller, whyNot }, changes),
  };
}

function judge({ default_branch }: Wiki, changes: readonly RefChange[]): string | null {
  const refusals = changes.map(({ ref, oldId, newId }) => {
    const [isMade, isGone] = [oldId === zeroId, newId === zeroId];
    if (ref.startsWith(HEADS)) {
      const name = ref.slice(HEADS.length);
      if (isGone) return name === default_branch ? 'The default branch of a wiki cannot be deleted.' : null;
      return isMade && !validBranchName(name) ? 'Branch name is invalid' : null;
    }
    if (!ref.startsWith(TAGS)) return 'You can only push branches and tags.';
    return isMade && !isGone && !validTagName(ref.slice(TAGS.length)) ? 'Tag name invalid' : null;
  });
  const first = refusals.find((refusal) => refusal !== null);
  return first ?? null;
}

async function writeDown(
  services: RefServices,
  { wiki, caller, whyNot }: Pick<PushingToWiki, 'caller' | 'whyNot'> & { readonly wiki: Wiki },
  changes: readonly RefChange[],
): Promise<Intent | string> {
  try {
    const begun = await beginWikiMove(services, { wiki, by: { caller, may: 'create_wiki' }, changes });
    return isFailure(begun) ? READ_ONLY[1] : begun;
  } catch (error) {
    if (error instanceof AccessRevoked) return whyNot();
    throw error;
  }
}

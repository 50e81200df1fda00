import type { Readable, Writable } from 'node:stream';
import type { Project } from '../../../access/projects.ts';
import { gitFor } from '../../../git/git.ts';
import { receivePack } from '../../../git/receive.ts';
import { READ_ONLY } from '../../../http/refusals/texts.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused } from '../../../refused.ts';
import type { Intent } from '../../../repositories/intents.ts';
import { beginMove, dropIntent, ensureProjectRepository } from '../../../repositories/move-refs.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import { settleIntent } from '../../../repositories/settle.ts';
import { checkPush } from './check-push.ts';

interface Pushing {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * A push: checked in quarantine, written down as an intent, moved by git, settled before the client's connection ends.
 * What moved is what git says has moved, ref by ref.
 */
export async function push(requested: RefRooms, { project, caller, input, output }: Pushing): Promise<void> {
  // A client that goes away when its pack is whole does not stop its push.
  const rooms = { ...requested, git: gitFor(requested.git, null) };
  await ensureProjectRepository(rooms.git, project);
  let intent: Intent | null = null;
  await receivePack(rooms.git, repositoryOf(rooms.git, project), {
    input,
    output,
    async check(asked) {
      const refusal = await checkPush(rooms, project, caller, asked);
      if (refusal !== null) return { refuse: refusal };
      const begun = await beginMove(rooms, { project, userId: caller.user.id, changes: asked.changes });
      if (isRefused(begun)) return { refuse: READ_ONLY[1] };
      intent = begun;
      return 'accept';
    },
    async after(moved) {
      if (intent === null) return;
      await (moved.length === 0 ? dropIntent(rooms, intent) : settleIntent(rooms, intent, moved));
    },
  });
}

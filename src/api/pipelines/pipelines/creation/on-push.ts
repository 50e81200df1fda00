import type { PipelineVariable } from '#api/pipelines/ci-file/index.ts';
import { jobsTurn } from '#api/pipelines/processing/index.ts';
import { maySetPipelineVariables } from '#api/pipelines/variables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { subscription } from '#events/event-bus.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Services } from '#http/services.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { createPipeline, orBroken } from './create.ts';
import { madeOf } from './insert.ts';
import { isProtected, prepare, type Wanted } from './prepare.ts';
import { readPushOptions } from './push-options.ts';

/** Of one push of many refs so many have a pipeline. */
const MOST_REFS = 4;

const SKIPS = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whatever makes or moves branches and tags has pipelines made of what is there then (contract/runners.md §4.2). */
export const followPushes = subscription({
  event: 'refs-changed',
  inBackground: {
    kind: 'pipelines-of-push',
    async handle(services: Services, { projectId, userId, changes, options = [] }, { id }) {
      const db = services.database.reader;
      const caller = await actorOf(db, userId);
      const project = caller.user === null ? null : await findProject(db, caller, String(projectId));
      if (project === null || !mayInProject(caller, 'update_pipeline', project)) return;
      for (const change of changes.filter(leavesSomething).slice(0, MOST_REFS)) {
        await pipelineOf(services, { caller, project, change, options, origin: `push ${id} ${change.ref}` });
      }
    },
  },
});

interface Pushed {
  readonly caller: Caller;
  readonly project: Project;
  readonly change: RefChange;
  readonly options: readonly string[];
  readonly origin: string;
}

function leavesSomething({ ref, newId }: RefChange): boolean {
  return newId !== zeroId && (ref.startsWith(HEADS) || ref.startsWith(TAGS));
}

async function pipelineOf(services: Services, pushed: Pushed): Promise<void> {
  const { database, runUnitOfWork, secretKey } = services;
  const { caller, project, origin } = pushed;
  if ((await madeOf(database.reader, project.id, origin)) !== null) return;
  const { skip, variables } = readPushOptions(pushed.options);
  const wanted = await wantedOf(services, pushed, maySetPipelineVariables(caller, project) ? variables : []);
  if (wanted === null) return;
  const content = await contentOf(services, wanted, skip);
  if (content === null) return;
  const key = await secretKey();
  await runUnitOfWork(caller, (uow) => createPipeline(uow, wanted, content, { origin, key }), {
    turn: jobsTurn(project.id),
  });
}

async function wantedOf(
  { git, database, ownUrl }: Services,
  { caller, project, change }: Pushed,
  variables: readonly PipelineVariable[],
): Promise<Wanted | null> {
  const tag = change.ref.startsWith(TAGS);
  const ref = change.ref.slice((tag ? TAGS : HEADS).length);
  // An annotated tag is an object of its own.
  const sha = await resolveRevision(git, repositoryOf(git, project), change.newId);
  if (sha === null) return null;
  return {
    project,
    user: caller.user!,
    ref,
    tag,
    sha,
    before_sha: change.oldId,
    source: 'push',
    protected: await isProtected(database.reader, project.id, ref, tag),
    variables,
    baseUrl: ownUrl(),
  };
}

/** What the pipeline is to hold; null: there is to be none. */
async function contentOf(services: Services, wanted: Wanted, skip: boolean) {
  const { git } = services;
  const plan = await prepare(services, wanted);
  if (isFailure(plan) && plan.code === 'noFile') return null;
  const commit = await readCommit(git, repositoryOf(git, wanted.project), wanted.sha);
  if (skip || SKIPS.test(commit?.message ?? '')) return { status: 'skipped' as const };
  const content = orBroken(plan);
  return isFailure(content) ? null : content;
}

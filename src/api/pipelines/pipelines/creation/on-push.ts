import type { PipelineVariableInput } from '#api/pipelines/ci-file/index.ts';
import { jobsLockKey } from '#api/pipelines/processing/index.ts';
import { canSetPipelineVariables } from '#api/pipelines/variables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Services } from '#http/services.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { createPipeline, findPipelineByOrigin, toFailedPipelineIfInvalid } from './create.ts';
import { getConfigPath } from './predefined-variables.ts';
import { createFileReader, isProtectedRef, type PipelineRequest, planRequestedPipeline } from './prepare.ts';

interface PushOptions {
  /** `ci.skip`: the pipeline is stored with status skipped. */
  readonly skip: boolean;
  /** `ci.no_pipeline` */
  readonly noPipeline: boolean;
  /** `ci.variable="KEY=value"`. The last value of a duplicate key wins. */
  readonly variables: readonly PipelineVariableInput[];
}

const MAX_VALUE_LENGTH = 10_000;
const MAX_KEY_LENGTH = 255;

/** Parses the options of `git push -o ...` for pipelines (contract/runners.md §4.2). Invalid variables are ignored. */
export function parsePushOptions(options: readonly string[]): PushOptions {
  const variablesByKey = new Map<string, PipelineVariableInput>();
  for (const option of options) {
    const [name, optionValue = ''] = splitAt(option, '=');
    if (name !== 'ci.variable') continue;
    const [key, value] = splitAt(stripQuotes(optionValue), '=');
    if (value === undefined || value.length > MAX_VALUE_LENGTH) continue;
    if (key.length > MAX_KEY_LENGTH || !/^[A-Za-z0-9_]+$/.test(key)) continue;
    variablesByKey.set(key, { key, value, variable_type: 'env_var', raw: false });
  }
  return {
    skip: options.includes('ci.skip'),
    noPipeline: options.includes('ci.no_pipeline'),
    variables: [...variablesByKey.values()],
  };
}

function splitAt(text: string, separator: string): [string, string?] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Removes surrounding quotes, which some shells do not strip. */
function stripQuotes(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

type PushServices = Pick<Services, 'database' | 'git' | 'runUnitOfWork' | 'secretKey' | 'serverUrl'>;

/** Maximum number of refs of one push for which pipelines are created. */
const MAX_REFS_PER_PUSH = 4;

const SKIP_MARKER = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Creates pipelines for created and moved branches and tags (contract/runners.md §4.2). */
export const createPipelinesOnPush = defineSubscription({
  event: 'refs-changed',
  inBackground: {
    kind: 'create_pipelines_of_push',
    async handle(services: PushServices, { projectId, userId, changes, options = [] }, { id }) {
      const db = services.database.reader;
      const caller = await loadActor(db, userId);
      const project = caller.user === null ? null : await findProject(db, caller, String(projectId));
      if (project === null || !mayInProject(caller, 'update_pipeline', project)) return;
      for (const change of changes.filter(isCreatedOrUpdated).slice(0, MAX_REFS_PER_PUSH)) {
        await createPipelineOfPush(services, { caller, project, change, options, origin: `push ${id} ${change.ref}` });
      }
    },
  },
});

interface PushedRef {
  readonly caller: Caller;
  readonly project: Project;
  readonly change: RefChange;
  readonly options: readonly string[];
  /** Idempotency key of the pipeline. */
  readonly origin: string;
}

function isCreatedOrUpdated({ ref, newId }: RefChange): boolean {
  return newId !== ZERO_ID && (ref.startsWith(HEADS) || ref.startsWith(TAGS));
}

async function createPipelineOfPush(services: PushServices, pushedRef: PushedRef): Promise<void> {
  const { database, runUnitOfWork, secretKey } = services;
  const { caller, project, origin } = pushedRef;
  if ((await findPipelineByOrigin(database.reader, project.id, origin)) !== null) return;
  const { skip, noPipeline, variables } = parsePushOptions(pushedRef.options);
  if (noPipeline) return;
  const request = await toPipelineRequest(
    services,
    pushedRef,
    canSetPipelineVariables(caller, project) ? variables : [],
  );
  if (request === null) return;
  const content = await planContent(services, request, skip);
  if (content === null) return;
  const key = await secretKey();
  await runUnitOfWork(caller, (uow) => createPipeline(uow, request, content, { origin, key }), {
    lock: jobsLockKey(project.id),
  });
}

/** Returns the request for the pipeline of a pushed ref, or null if the ref does not point to a commit. */
async function toPipelineRequest(
  { git, database, serverUrl }: Pick<Services, 'database' | 'git' | 'serverUrl'>,
  { caller, project, change }: PushedRef,
  variables: readonly PipelineVariableInput[],
): Promise<PipelineRequest | null> {
  const tag = change.ref.startsWith(TAGS);
  const ref = change.ref.slice((tag ? TAGS : HEADS).length);
  // The new id of an annotated tag is that of the tag object, not of the commit.
  const sha = await resolveRevision(git, getRepository(git, project), change.newId);
  if (sha === null) return null;
  return {
    project,
    // The subscription ends without a user.
    user: caller.user!,
    ref,
    tag,
    sha,
    before_sha: change.oldId,
    source: 'push',
    protected: await isProtectedRef(database.reader, project.id, ref, tag),
    variables,
    baseUrl: serverUrl(),
  };
}

/**
 * Returns the content of the pipeline, or null if there is none. A push that skips pipelines does not evaluate the
 * file.
 */
async function planContent(
  services: Pick<Services, 'database' | 'git' | 'secretKey'>,
  request: PipelineRequest,
  skip: boolean,
) {
  const { git } = services;
  const repository = getRepository(git, request.project);
  const commit = await readCommit(git, repository, request.sha);
  if (skip || SKIP_MARKER.test(commit?.message ?? '')) {
    const file = await createFileReader(git, repository, request.sha)(getConfigPath(request.project));
    return file === null ? null : { status: 'skipped' as const };
  }
  const content = toFailedPipelineIfInvalid(await planRequestedPipeline(services, request, null));
  return isFailure(content) ? null : content;
}

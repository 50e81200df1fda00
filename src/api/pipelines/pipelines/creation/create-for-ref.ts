import type { Configuration, Invalid, PipelineVariable, Plan } from '#api/pipelines/ci-file/index.ts';
import { jobsTurn } from '#api/pipelines/processing/index.ts';
import { maySetPipelineVariables } from '#api/pipelines/variables/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject, mayUseFeature } from '#authorization/abilities.ts';
import { standingOf } from '#authorization/current-access.ts';
import { findPipeline, mayRunOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { PipelineSource } from '#database/tables/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { validRefName, zeroId } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Services } from '#http/services.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createPipeline, orBroken } from './create.ts';
import type { CREATION_REFUSALS } from './errors.ts';
import { madeOf } from './insert.ts';
import { isProtected, type PrepareServices, prepare, type Starter, type Wanted } from './prepare.ts';

/** A pipeline that somebody asks for. */
interface Asked {
  /** The name of a branch or tag, short or full. */
  readonly ref: string;
  readonly source: PipelineSource;
  /** Those that he sets, which not everybody may. */
  readonly variables?: readonly PipelineVariable[];
  /** Those that come along with what he asks by. */
  readonly brought?: readonly PipelineVariable[];
  readonly starter?: Starter;
  /** Of two with one origin the first is made, and is what both get. */
  readonly origin?: string;
  /** A broken CI file is told by a pipeline that has failed, and not by a refusal. */
  readonly keepsBroken?: true;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

type Codes = keyof typeof CREATION_REFUSALS;

/**
 * Makes a pipeline of a branch or tag for whoever asks for one (contract/runners.md §4.1): nothing is stored when it is
 * refused, in the order of the contract. His rights are read again where it is made.
 */
export async function createOfRef(
  services: Pick<Services, 'git' | 'database' | 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  project: Project,
  { ref: sent, source, variables = [], brought = [], starter = {}, origin, keepsBroken, baseUrl }: Asked,
): Promise<PipelineRow | Failure<Codes>> {
  const { runUnitOfWork, secretKey } = services;
  const all = [...variables, ...brought];
  const wanted = await wantedOf(services, caller, project, {
    ref: sent,
    source,
    starter,
    all,
    baseUrl,
  });
  if (isFailure(wanted)) return wanted;
  const plan = await prepare(services, wanted);
  const content = keepsBroken ? orBroken(plan) : plan;
  if (isFailure(content)) return content;
  const twice = firstTwice(all);
  if (twice !== undefined) return fail('duplicate', { key: twice });
  const setsAny = variables.length > 0;
  if (setsAny && !maySetPipelineVariables(caller, project)) return fail('noVariables');
  const key = await secretKey();
  const make = async (uow: UnitOfWork) => {
    const now = await standingOf(uow, caller, project.id);
    if (!(await mayRunOn(uow, now.caller, now.project, wanted))) return fail('notAllowed', { ref: sent });
    if (setsAny && !maySetPipelineVariables(now.caller, now.project)) return fail('noVariables');
    const made = await createPipeline(uow, wanted, content, { origin: origin ?? null, key });
    const id = made ?? (await madeOf(uow, project.id, origin!))!;
    return (await findPipeline(uow, project.id, id))!;
  };
  return runUnitOfWork(caller, make, { turn: jobsTurn(project.id) });
}

/**
 * What a push to the ref would make of a CI file, by whoever asks: all of the same road but that nothing is stored at its
 * end. `configuration`: what the file says, null where there is none.
 */
export async function dryRun(
  services: PrepareServices,
  caller: Caller,
  project: Project,
  about: { readonly ref: string; readonly baseUrl: string },
  configuration: Configuration | Invalid | null,
): Promise<Plan | Failure<Codes>> {
  const wanted = await wantedOf(services, caller, project, { ...about, source: 'push', starter: {}, all: [] });
  return isFailure(wanted) ? wanted : prepare(services, wanted, async () => configuration);
}

interface About extends Pick<Asked, 'ref' | 'source' | 'baseUrl'> {
  readonly starter: Starter;
  readonly all: readonly PipelineVariable[];
}

/** The pipeline that is asked for, where he may have one there. */
async function wantedOf(
  { git, database }: PrepareServices,
  caller: Caller,
  project: Project,
  { ref: sent, source, starter, all, baseUrl }: About,
): Promise<Wanted | Failure<'disabled' | 'notPermitted' | 'notAllowed' | 'noRef'>> {
  const db = database.reader;
  if (!mayUseFeature(caller, 'builds', project)) return fail('disabled');
  if (caller.user === null || !mayInProject(caller, 'create_pipeline', project)) return fail('notPermitted');
  const found = await findRef(git, project, sent);
  const place = found ?? { ref: sent, tag: false };
  if (!(await mayRunOn(db, caller, project, place))) return fail('notAllowed', { ref: sent });
  if (found === null) return fail('noRef');
  return {
    ...found,
    ...starter,
    project,
    user: caller.user,
    before_sha: zeroId,
    source,
    protected: await isProtected(db, project.id, found.ref, found.tag),
    variables: all,
    baseUrl,
  };
}

interface FoundRef {
  /** The short name. */
  readonly ref: string;
  readonly tag: boolean;
  readonly sha: string;
}

/** The branch, or else the tag, that a short or full name means; null: neither. */
async function findRef(git: Git, project: Project, name: string): Promise<FoundRef | null> {
  const repository = repositoryOf(git, project);
  const isFull = name.startsWith(HEADS) || name.startsWith(TAGS);
  for (const ref of isFull ? [name] : [HEADS + name, TAGS + name]) {
    const tag = ref.startsWith(TAGS);
    const sha = await commitOf(git, repository, ref);
    if (sha !== null) return { ref: ref.slice((tag ? TAGS : HEADS).length), tag, sha };
  }
  return null;
}

/** Nothing but a whole ref is looked at: no `~2` behind it. */
async function commitOf(git: Git, repository: ReturnType<typeof repositoryOf>, ref: string): Promise<string | null> {
  return validRefName(ref) ? resolveRevision(git, repository, ref) : null;
}

/** The first key that comes a second time. */
function firstTwice(variables: readonly PipelineVariable[]): string | undefined {
  const keys = new Set<string>();
  return variables.find(({ key }) => keys.size === keys.add(key).size)?.key;
}

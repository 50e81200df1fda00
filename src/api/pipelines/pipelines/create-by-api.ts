import { mayUseFeature } from '../../../access/abilities.ts';
import { findPipeline, mayRunOn, type PipelineRow } from '../../../access/pipelines.ts';
import type { Project } from '../../../access/projects.ts';
import { standingOf } from '../../../access/standing.ts';
import type { VariableType } from '../../../database/tables/pipelines.ts';
import type { Git } from '../../../git/git.ts';
import { HEADS, TAGS } from '../../../git/names.ts';
import { validRefName, zeroId } from '../../../git/refs.ts';
import { resolveRevision } from '../../../git/revision.ts';
import type { Rooms } from '../../../http/rooms.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { PipelineVariable } from '../ci-file/index.ts';
import { jobsTurn } from '../processing/index.ts';
import { maySetPipelineVariables } from '../variables/index.ts';
import { createPipeline } from './create.ts';
import { isProtected, prepare } from './prepare.ts';

interface Sent {
  readonly ref: string;
  readonly variables?: readonly SentVariable[] | null | undefined;
}

interface SentVariable {
  readonly key: string;
  readonly value: string;
  readonly variable_type?: VariableType | null | undefined;
}

type Codes =
  | 'disabled'
  | 'notAllowed'
  | 'noRef'
  | 'noFile'
  | 'invalid'
  | 'unwanted'
  | 'empty'
  | 'duplicate'
  | 'noVariables';

/**
 * Makes a pipeline of a branch or tag for whoever asks for one (contract/runners.md §4.1): nothing is stored when it is
 * refused, in the order of the contract. His rights are read again where it is made.
 */
export async function createByApi(
  { git, database, acting, secretKey }: Pick<Rooms, 'git' | 'database' | 'acting' | 'secretKey'>,
  caller: SignedIn,
  project: Project,
  { ref: sent, variables: given, baseUrl }: Sent & { readonly baseUrl: string },
): Promise<PipelineRow | Refused<Codes>> {
  const db = database.reader;
  if (!mayUseFeature(caller, 'builds', project)) return refused('disabled');
  const found = await findRef(git, project, sent);
  const place = found ?? { ref: sent, tag: false };
  if (!(await mayRunOn(db, caller, project, place))) return refused('notAllowed', { ref: sent });
  if (found === null) return refused('noRef');
  const variables = (given ?? []).map(asVariable);
  const wanted = {
    ...found,
    project,
    user: caller.user,
    before_sha: zeroId,
    source: 'api' as const,
    protected: await isProtected(db, project.id, found.ref, found.tag),
    variables,
    baseUrl,
  };
  const plan = await prepare({ git }, wanted);
  if (isRefused(plan)) return plan;
  const refusal = refuseVariables(caller, project, variables);
  if (refusal !== null) return refusal;
  const key = await secretKey();
  const turn = jobsTurn(project.id);
  const make = async (act: Parameters<Parameters<typeof acting>[1]>[0]) => {
    const now = await standingOf(act, caller, project.id);
    if (!(await mayRunOn(act, now.caller, now.project, found))) return refused('notAllowed', { ref: sent });
    if (variables.length > 0 && !maySetPipelineVariables(now.caller, now.project)) return refused('noVariables');
    const id = await createPipeline(act, wanted, plan, { origin: null, key });
    return (await findPipeline(act, project.id, id!))!;
  };
  return acting(caller, make, { turn });
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

function asVariable({ key, value, variable_type }: SentVariable): PipelineVariable {
  return { key, value, variable_type: variable_type ?? 'env_var', raw: false };
}

function refuseVariables(
  caller: SignedIn,
  project: Project,
  variables: readonly PipelineVariable[],
): Refused<'duplicate' | 'noVariables'> | null {
  const keys = new Set<string>();
  for (const { key } of variables) {
    if (keys.has(key)) return refused('duplicate', { key });
    keys.add(key);
  }
  return variables.length > 0 && !maySetPipelineVariables(caller, project) ? refused('noVariables') : null;
}

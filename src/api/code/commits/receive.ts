import type { Project } from '../../../access/projects.ts';
import type { Raw } from '../../../http/parameters/brackets.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { mayCommitTo } from '../../../repositories/push-permission.ts';
import {
  BODY_REFUSALS,
  type BodyCall,
  type BodyRefusal,
  commitFields,
  readFilemode,
  textOf,
  withLateBody,
} from '../repository-files/index.ts';
import { ACTION_REFUSALS, type ActionRefusal, actionsIn, readActions } from './actions.ts';
import type { NewCommit } from './create.ts';

interface CommitCall extends BodyCall {
  readonly project: Project;
}

type ReceiveRefusal =
  | BodyRefusal
  | ActionRefusal
  | 'required'
  | 'notBoolean'
  | 'notAllowed'
  | 'bothStarts'
  | 'startProject'
  | 'readOnly';

export const RECEIVE_REFUSALS = {
  ...BODY_REFUSALS,
  required: [400, '400 Bad request - {name} is required'],
  notBoolean: [400, '400 Bad request - {name} must be a boolean'],
  notAllowed: [403, '403 Forbidden - You are not allowed to push into this branch'],
  ...ACTION_REFUSALS,
  bothStarts: [400, '400 Bad request - start_branch, start_sha are mutually exclusive'],
  startProject: [404, '404 Project Not Found'],
} as const;

export type ReceivedCommit = NewCommit & { readonly stats: boolean };

/** The body of a commit, read and checked in the contract's order: permission, parameters, read-only; then the work. */
export function receiveCommit<Result>(
  call: CommitCall,
  work: (commit: ReceivedCommit) => Promise<Result>,
): Promise<Result | Refused<ReceiveRefusal>> {
  return withLateBody<Result | Refused<ReceiveRefusal>>(call, async (given) => {
    const commit = await readCommit(call, given);
    return isRefused(commit) ? commit : work(commit);
  });
}

async function readCommit(
  { db, project, caller }: CommitCall,
  given: Raw,
): Promise<ReceivedCommit | Refused<ReceiveRefusal>> {
  const branch = textOf(given, 'branch') ?? '';
  const message = textOf(given, 'commit_message') ?? '';
  if (!(await mayCommitTo(db, caller, project, branch))) return refused('notAllowed');
  if (branch.trim() === '') return refused('required', { name: 'branch' });
  if (message.trim() === '') return refused('required', { name: 'commit_message' });
  const flags = readFlags(given);
  if (isRefused(flags)) return flags;
  const startSha = textOf(given, 'start_sha') || undefined;
  const fields = commitFields(given);
  const items = actionsIn(given.actions, { allowEmpty: flags.allow_empty });
  if (isRefused(items)) return items;
  if (startSha !== undefined && fields.startBranch !== undefined) return refused('bothStarts');
  const actions = await readActions(items);
  if (isRefused(actions)) return actions;
  if (!isSameProject(textOf(given, 'start_project'), project)) return refused('startProject');
  if (project.read_only) return refused('readOnly');
  const { force, stats, allow_empty: allowEmpty } = flags;
  return { project, caller, branch, message, actions, ...fields, startSha, force, allowEmpty, stats };
}

const DEFAULTS = { stats: true, force: false, allow_empty: false } as const;

function readFlags(given: Readonly<Record<string, unknown>>) {
  const flags: Record<keyof typeof DEFAULTS, boolean> = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = readFilemode(given[name]);
    if (value === 'invalid') return refused('notBoolean', { name });
    flags[name] = value ?? DEFAULTS[name];
  }
  return flags;
}

/** Nothing is forked, so that the only project whose commits are here is the project itself. */
function isSameProject(
  named: string | undefined,
  project: { readonly id: number; readonly full_path: string },
): boolean {
  return !named || named === String(project.id) || named.toLowerCase() === project.full_path.toLowerCase();
}

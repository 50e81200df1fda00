import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import {
  findFirstCadences,
  findIterationByReference,
  findIterationOfCadence,
  hasOpenIteration,
  loadVisibleIterations,
} from '../iterations/index.ts';
import {
  applyChange,
  type CommandResult,
  ISSUES_ONLY,
  NOT_APPLICABLE,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';

// Quick actions for the iteration of an issue.

/** Returns the groups whose iterations issues of the project can have; null on the free tier and outside of groups. */
async function findGroupIds({ uow, subject: { parent } }: QuickActionContext): Promise<readonly number[] | null> {
  if (uow.tier === 'free' || parent.project?.namespace_kind !== 'group') return null;
  return (await ancestorsAndSelf(uow, parent)).groupIds;
}

const failedToApply = (reason: string) => `Could not apply iteration command. ${reason}`;

async function setIteration(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const groupIds = await findGroupIds(context);
  if (groupIds === null || !(await hasOpenIteration(context.uow, groupIds))) return NOT_APPLICABLE;
  if (argument === '') return null;
  const iteration = await findIteration(context, groupIds, argument);
  if (typeof iteration === 'string') return failedToApply(iteration);
  if (iteration === null) return null;
  applyChange(context, { iteration_id: iteration.id });
  context.changes.iteration = iteration.id;
  return `Set the iteration to *iteration:${iteration.id}.`;
}

/** A reference to an iteration or cadence: its title or its id. */
type TitleOrId = string | number;

const ITERATION = /\*iteration:("[^"]*"|[^\s"]+)/;
const CADENCE_START = '[cadence:';

/** Parses a number as an id, and other text, perhaps in quotes, as a title. */
function parseTitleOrId(reference: string): TitleOrId {
  if (/^\d{1,15}$/.test(reference)) return Number(reference);
  return reference.startsWith('"') ? reference.slice(1, -1) : reference;
}

/** Returns the cadence that the argument names, or null if it names none. */
function parseCadence(argument: string): TitleOrId | null {
  const start = argument.indexOf(CADENCE_START);
  const end = argument.lastIndexOf(']');
  return start < 0 || end < start ? null : parseTitleOrId(argument.slice(start + CADENCE_START.length, end));
}

/** Returns the iteration or an error text; null if the only cadence has no such iteration. */
async function findIteration({ uow }: QuickActionContext, groupIds: readonly number[], argument: string) {
  const iterationReference = ITERATION.exec(argument);
  if (iterationReference !== null) {
    const iteration = await findIterationByReference(uow, groupIds, parseTitleOrId(iterationReference[1]!));
    return iteration ?? 'Failed to find the referenced iteration.';
  }
  const cadenceReference = parseCadence(argument);
  const option = /--(next|current)$/.exec(argument)?.[1] as 'next' | 'current' | undefined;
  const cadences = await findFirstCadences(uow, groupIds, cadenceReference);
  const [cadence] = cadences;
  if (cadenceReference !== null && cadence === undefined) return 'Failed to find the referenced iteration cadence.';
  if (option === undefined) return 'Missing option --current or --next.';
  if (cadence === undefined || (cadenceReference === null && cadences.length > 1))
    return 'There are multiple cadences but no cadence is specified.';
  const iteration = await findIterationOfCadence(uow, cadence.id, option);
  if (iteration !== null || cadenceReference === null) return iteration;
  return `No ${option === 'next' ? 'upcoming' : 'current'} iteration found for the cadence.`;
}

async function removeIteration(context: QuickActionContext): Promise<CommandResult> {
  const { iteration_id: id } = context.currentState;
  if (id === null || (await findGroupIds(context)) === null) return NOT_APPLICABLE;
  const [iteration] = await loadVisibleIterations(context.uow, context.uow.actor, [id]);
  applyChange(context, { iteration_id: null });
  context.changes.iteration = null;
  return `Removed *iteration:${iteration?.title == null ? id : `"${iteration.title}"`} iteration.`;
}

export const ITERATION_ACTIONS = [
  {
    names: ['iteration'],
    noteableTypes: ISSUES_ONLY,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: setIteration,
  },
  { names: ['remove_iteration'], noteableTypes: ISSUES_ONLY, requiredRight: 'manage', run: removeIteration },
] as const satisfies readonly QuickAction[];

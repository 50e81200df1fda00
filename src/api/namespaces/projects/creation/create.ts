import type { Caller } from '#authentication/caller.ts';
import { readUser, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import type { AttributeValues } from '../attributes/attributes.ts';
import { sentAttributes } from '../attributes/input-attributes.ts';
import { initializeWithReadme } from './initialize.ts';
import { addProject } from './insert.ts';
import { findTarget, mayPutProjects, personalTargetOf } from './target-namespace.ts';

/** What a caller sends for a new project. */
export interface ProjectWish {
  readonly values: AttributeValues;
  /** Begins with a README.md. */
  readonly readme: boolean;
  readonly importUrl: string | null | undefined;
}

/** Whose project it is called, and where it is. */
interface Origin {
  readonly creatorId: number;
  /** Null: the creator's own namespace. */
  readonly namespaceId: number | null;
}

type CreatingServices = RefServices & Pick<Services, 'config'>;
type CreateFailure = 'importUnsupported' | 'invalid' | 'limitReached';

/**
 * Makes a project with its place, its repository's row and its owner, and with `readme` its first commit
 * (contract/planning.md §3.3 "POST /projects").
 */
export async function create(
  services: CreatingServices,
  caller: Caller,
  origin: Origin,
  { values, readme, importUrl }: ProjectWish,
): Promise<Project | Failure<CreateFailure>> {
  if (importUrl) return fail('importUnsupported');
  const storages = Object.keys(services.config.storages);
  const made = await services.runUnitOfWork(caller, (uow) =>
    insert(uow, origin, sentAttributes(values, '{}', uow), storages),
  );
  if (isFailure(made)) return made;
  if (!readme) return made.project;
  const { project, creator } = made;
  await initializeWithReadme(services, project, creator);
  return (await findProject(services.database.reader, caller, String(project.id))) ?? project;
}

/** All that decides is read here: the namespace may get another path or visibility, or go, while its project is made. */
async function insert(
  uow: UnitOfWork,
  { creatorId, namespaceId }: Origin,
  sent: AttributeValues,
  storages: readonly string[],
): Promise<{ readonly project: Project; readonly creator: User } | Failure<'invalid' | 'limitReached'>> {
  const creator = await readUser(uow, creatorId);
  const target = await (namespaceId === null
    ? personalTargetOf(uow, creatorId)
    : findTarget(uow, uow.actor, String(namespaceId)));
  if (creator === null || target === null || !mayPutProjects(uow.actor, target)) {
    return invalid({ namespace: ['is not valid'] });
  }
  if (target.group === null && (await isAtLimit(uow, creator))) {
    return fail('limitReached', { limit: creator.projects_limit });
  }
  const project = await addProject(uow, { creator, target }, sent, storages);
  return isFailure(project) ? project : { project, creator };
}

/** Has he as many projects of his own as he may have? Those in groups don't count. */
async function isAtLimit(db: Reader, { id, projects_limit: limit }: User): Promise<boolean> {
  // index: namespaces_by_owner, projects_by_namespace
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', id)
    .executeTakeFirstOrThrow();
  return count >= limit;
}

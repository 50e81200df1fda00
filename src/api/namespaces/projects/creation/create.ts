import type { Caller } from '#authentication/caller.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import type { ProjectAttributeInput } from '../attributes/attributes.ts';
import { resolveAttributes } from '../attributes/input-attributes.ts';
import { initializeWithReadme } from './initialize.ts';
import { insertProject } from './insert.ts';
import { findPersonalTarget, findTarget, mayCreateProjectsIn } from './target-namespace.ts';

/** The input for a new project. */
export interface CreateProjectInput {
  readonly values: ProjectAttributeInput;
  /** Whether to create a first commit with a README.md. */
  readonly readme: boolean;
  readonly importUrl: string | null | undefined;
  readonly template: TemplateReference;
}

/** The requested template. */
interface TemplateReference {
  readonly name: string | null | undefined;
  readonly projectId: number | null | undefined;
}

/** The creator and the namespace of a new project. */
interface CreatorAndNamespace {
  readonly creatorId: number;
  /** Null for the creator's personal namespace. */
  readonly namespaceId: number | null;
}

type CreateProjectServices = RefServices & Pick<Services, 'config'>;
type CreateFailure = 'importUnsupported' | 'invalid' | 'limitReached';

/**
 * Creates a project with its route, repository row and owner, and with `readme` its first commit (contract/planning.md
 * §3.3 "POST /projects").
 */
export async function create(
  services: CreateProjectServices,
  caller: Caller,
  creatorAndNamespace: CreatorAndNamespace,
  { values, readme, importUrl, template }: CreateProjectInput,
): Promise<Project | Failure<CreateFailure>> {
  if (importUrl) return fail('importUnsupported');
  const templateFailure = findTemplateFailure(template);
  if (templateFailure !== null) return templateFailure;
  const storages = Object.keys(services.config.storages);
  const createResult = await services.runUnitOfWork(caller, (uow) =>
    createInTarget(uow, creatorAndNamespace, resolveAttributes(values, '{}', uow), storages),
  );
  if (isFailure(createResult)) return createResult;
  if (!readme) return createResult.project;
  const { project, creator } = createResult;
  await initializeWithReadme(services, project, creator);
  return (await findProject(services.database.reader, caller, String(project.id))) ?? project;
}

/** Returns a failure if a template is requested, because an empty project in its place would surprise the caller. */
function findTemplateFailure({ name, projectId }: TemplateReference): Failure<'invalid'> | null {
  if (projectId != null) return invalid({ template_project_id: [`${projectId} is unknown or invalid`] });
  return name ? invalid({ template_name: [`'${name}' is unknown or invalid`] }) : null;
}

/** Checks all conditions in the unit of work, because the namespace may be moved, hidden or deleted meanwhile. */
async function createInTarget(
  uow: UnitOfWork,
  { creatorId, namespaceId }: CreatorAndNamespace,
  input: ProjectAttributeInput,
  storages: readonly string[],
): Promise<{ readonly project: Project; readonly creator: User } | Failure<'invalid' | 'limitReached'>> {
  const creator = await findUserById(uow, creatorId);
  const target = await (namespaceId === null
    ? findPersonalTarget(uow, creatorId)
    : findTarget(uow, uow.actor, String(namespaceId)));
  if (creator === null || target === null || !mayCreateProjectsIn(uow.actor, target)) {
    return invalid({ namespace: ['is not valid'] });
  }
  if (target.group === null && (await hasReachedProjectLimit(uow, creator))) {
    return fail('limitReached', { limit: creator.projects_limit });
  }
  const project = await insertProject(uow, { creator, target }, input, storages);
  return isFailure(project) ? project : { project, creator };
}

/** Returns whether the user has reached the limit of personal projects. Projects in groups do not count. */
async function hasReachedProjectLimit(db: Reader, { id, projects_limit: limit }: User): Promise<boolean> {
  // index: namespaces_by_owner, projects_by_namespace
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', id)
    .executeTakeFirstOrThrow();
  return count >= limit;
}

import type { SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { findGroup } from '#domain/namespaces/groups.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { type Parameters, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { isFailure } from '#runtime/failure.ts';
import type { Caller } from '#test/support/caller.ts';
import type { Group, Project, World } from '#test/support/world.ts';
import {
  type CreateDestinationInput,
  type DestinationCreation,
  findStoredObject,
  type ImportTarget,
  type Relation,
  type SourceGroupOrProject,
  type StoreElementResult,
  type UserMapping,
} from './relation.ts';

/** An element as the source returns it, not validated. */
type RawElement = Readonly<Record<string, unknown>>;

interface ImportOptions {
  /** Local user ids by source user id; other source users have no local user. */
  readonly localUserIdsBySourceId?: Readonly<Record<number, number>>;
  readonly isChild?: boolean;
  readonly migrateMemberships?: boolean;
}

/** Creates a group or project from source attributes. Returns its id, or the code or text of the failure. */
export async function createFromSource(
  world: World,
  importer: Caller,
  creation: DestinationCreation,
  raw: RawElement,
  options: Partial<CreateDestinationInput> = {},
) {
  const { database, runUnitOfWork, config } = world.server.services;
  const caller = (await loadCaller(database.reader, importer.id, null)) as SignedInCaller;
  const problems = new Problems();
  const element = readParameters(creation.fields as Parameters, raw as Record<string, unknown>, problems);
  if (problems.any) return problems.texts.join(', ');
  const storages = Object.keys(config.storages);
  const input = { importId: 0, parent: null, slug: world.name('it'), storages, ...options };
  const creationResult = await runUnitOfWork(caller, (uow) => creation.create(uow, input, element));
  return isFailure(creationResult) ? creationResult.code : creationResult;
}

/** Returns a group with the role of this user. */
export async function findGroupForUser(world: World, user: Caller, { id }: Pick<Group, 'id'>) {
  const { reader } = world.server.services.database;
  return findGroup(reader, await loadCaller(reader, user.id, null), String(id));
}

/** Creates a started import of a group or project. `importElements` stores elements like the import jobs, but without a network. */
export async function createTestImport(
  world: World,
  importer: Caller,
  parent: Group | Project,
  options: ImportOptions = {},
) {
  const { database, runUnitOfWork } = world.server.services;
  const kind = parent.at.startsWith('/groups') ? 'group' : 'project';
  const source: SourceGroupOrProject = { kind, id: 7, fullPath: 'src/it', isChild: options.isChild ?? false };
  const { importId, entityId } = await createImportWithEntity(world, importer, parent, kind);
  const users: UserMapping = {
    getLocalUserId: (user) => (user == null ? null : (options.localUserIdsBySourceId?.[user.id] ?? null)),
  };
  const caller = (await loadCaller(database.reader, importer.id, null)) as SignedInCaller;

  async function loadTarget(db: Reader): Promise<ImportTarget> {
    const destination = (
      kind === 'group'
        ? { group: await findGroup(db, caller, String(parent.id)) }
        : { project: await findProject(db, caller, String(parent.id)) }
    ) as GroupOrProject;
    const flags = { migrateProjects: true, migrateMemberships: options.migrateMemberships ?? true };
    return { importId, entityId, source, destination, ...flags };
  }

  /** Stores an element with its mapping, as the engine does. `id` is null if it was stored before or not at all. */
  async function storeUnlessStored(
    declaration: Pick<Relation, 'kind' | 'fields' | 'key'>,
    raw: RawElement,
    store: StoreElement,
  ): Promise<StoreResult> {
    const problems = new Problems();
    const element = readParameters(declaration.fields as Parameters, raw as Record<string, unknown>, problems);
    if (problems.any) return { failure: `${problems.texts.join(', ')} ${JSON.stringify(problems.fields)}`, element };
    const source_key = String(declaration.key?.(element) ?? element.id);
    const storeResult = await runUnitOfWork(caller, async (uow) => {
      if ((await findStoredObject(uow, { importId, entityId }, declaration.kind, source_key)) !== null) return null;
      const id = await store(uow, await loadTarget(uow), element);
      if (typeof id !== 'number') return id;
      const row = { bulk_import_id: importId, entity_id: entityId, kind: declaration.kind, source_key, local_id: id };
      await uow.insertInto('bulk_import_objects').values(row).execute();
      return id;
    });
    if (isFailure(storeResult)) return { failure: storeResult.code, element };
    return { id: storeResult, element };
  }

  return {
    importId,
    entityId,
    caller,
    source,
    /** Imports these elements and their children. Returns the failure messages. */
    async importElements(
      relation: Relation,
      elements: readonly RawElement[],
      listChildren: (element: RawElement) => readonly RawElement[] = () => [],
    ) {
      const failures: string[] = [];
      await runUnitOfWork(caller, async (uow) => relation.before?.(uow, await loadTarget(uow)));
      for (const raw of elements) {
        const { id, failure, element } = await storeUnlessStored(relation, raw, (uow, target, storedElement) =>
          relation.store(uow, target, storedElement, users),
        );
        if (failure !== undefined) failures.push(failure);
        if (id == null) continue;
        for (const child of relation.children ?? []) {
          for (const rawChild of listChildren(raw)) {
            const childResult = await storeUnlessStored(child, rawChild, (uow, target, childElement) =>
              child.store(uow, target, { id, element }, childElement, users),
            );
            if (childResult.failure !== undefined) failures.push(childResult.failure);
          }
        }
      }
      return failures;
    },
    /** Returns the path of the list on the source; undefined if the source has no such list. */
    getListPath: (relation: Relation) => relation.list[kind]?.(source),
  };
}

type UnitOfWork = FunctionParameters<Relation['store']>[0];
type FunctionParameters<F extends (...parameters: never) => unknown> = F extends (...parameters: infer P) => unknown
  ? P
  : never;
// biome-ignore lint/suspicious/noExplicitAny: elements of every kind
type StoreElement = (uow: UnitOfWork, target: ImportTarget, element: any) => Promise<StoreElementResult>;

interface StoreResult {
  readonly id?: number | null;
  readonly failure?: string;
  // biome-ignore lint/suspicious/noExplicitAny: elements of every kind
  readonly element: any;
}

/** Inserts a started import with one started entity, whose destination is `parent`. */
async function createImportWithEntity(
  { server }: World,
  importer: Caller,
  parent: Group | Project,
  kind: 'group' | 'project',
) {
  const timestamps = { created_at: '2026-01-02T00:00:00.000Z', updated_at: '2026-01-02T00:00:00.000Z' };
  return server.services.database.transaction(async (tx) => {
    const { id: importId } = await tx
      .insertInto('bulk_imports')
      .values({
        user_id: importer.id,
        status: 'started',
        source_url: 'https://src.test',
        source_version: null,
        source_enterprise: null,
        ended_at: null,
        ...timestamps,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: entityId } = await tx
      .insertInto('bulk_import_entities')
      .values({
        bulk_import_id: importId,
        user_id: importer.id,
        parent_id: null,
        source_type: `${kind}_entity`,
        source_full_path: 'src/it',
        source_id: 7,
        destination_namespace: '',
        destination_slug: 'it',
        namespace_id: kind === 'group' ? parent.id : null,
        project_id: kind === 'project' ? parent.id : null,
        migrate_projects: true,
        migrate_memberships: true,
        status: 'started',
        ...timestamps,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { importId, entityId };
  });
}

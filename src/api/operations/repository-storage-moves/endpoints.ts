import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { scheduleAllMoves, scheduleMove } from './changes.ts';
import { getMoveEntity } from './entities.ts';
import { forKinds } from './repository-kinds.ts';
import { findMove, listMoves } from './store.ts';

/** Name of a configured storage. It is compared with the configuration after all parameters are parsed. */
const storageName = { ...string, limitsValues: true };
const moveIdParams = { repository_storage_move_id: required(integer) };

// Moves of projects, snippets and groups (contract/operations.md §2).

export const [scheduleProjectMoves, scheduleSnippetMoves, scheduleGroupMoves] = forKinds((kind) =>
  endpoint({
    post: `/${kind.name}_repository_storage_moves`,
    summary: `Move the repositories of all ${kind.name}s in a storage`,
    description:
      'Answers immediately; a background job creates one move for each repository in the storage. Repositories that are read-only are skipped. Without `destination_storage_name`, a storage is chosen by weight for each of them.',
    access: administrator(),
    params: {
      source_storage_name: describe(required(storageName), 'The name of the storage whose repositories are moved.'),
      destination_storage_name: describe(
        optional(storageName),
        'The name of a storage; by default, one is chosen by weight for each repository.',
      ),
    },
    response: accepted,
    handle: ({ params }, services) => scheduleAllMoves(services, kind.name, params),
  }),
);

export const [listProjectMoves, listSnippetMoves, listGroupMoves] = forKinds((kind) =>
  endpoint({
    get: `/${kind.name}_repository_storage_moves`,
    summary: `List the storage moves of all ${kind.name}s`,
    description: 'Returns moves in all states, newest first.',
    access: administrator(),
    response: page(getMoveEntity(kind)),
    read: (db, { page }) => listMoves(db, kind, null, page),
  }),
);

export const [getProjectMove, getSnippetMove, getGroupMove] = forKinds((kind) =>
  endpoint({
    get: `/${kind.name}_repository_storage_moves/:repository_storage_move_id`,
    summary: `Get a storage move of ${kind.nounWithArticle}`,
    description: 'Returns the move with its state, its storages and the reason of a failure.',
    access: administrator(),
    params: moveIdParams,
    errors: { notFound: NOT_FOUND },
    response: ok(getMoveEntity(kind)),
    read: async (db, { params }) => (await findMove(db, kind, params.repository_storage_move_id)) ?? fail('notFound'),
  }),
);

export const [listMovesOfProject, listMovesOfSnippet, listMovesOfGroup] = forKinds((kind) =>
  endpoint({
    get: `${kind.path}/repository_storage_moves`,
    summary: `List the storage moves of ${kind.nounWithArticle}`,
    description: 'Returns the moves in all states, newest first.',
    access: kind.adminAccess(),
    response: page(getMoveEntity(kind)),
    read: (db, { containerId, page }) => listMoves(db, kind, containerId, page),
  }),
);

export const [getMoveOfProject, getMoveOfSnippet, getMoveOfGroup] = forKinds((kind) =>
  endpoint({
    get: `${kind.path}/repository_storage_moves/:repository_storage_move_id`,
    summary: `Get one of the storage moves of ${kind.nounWithArticle}`,
    description:
      'Returns the move with its state, its storages and the reason of a failure. A move of something else gives 404.',
    access: kind.adminAccess(),
    params: moveIdParams,
    errors: { notFound: NOT_FOUND },
    response: ok(getMoveEntity(kind)),
    read: async (db, { containerId, params }) =>
      (await findMove(db, kind, params.repository_storage_move_id, containerId)) ?? fail('notFound'),
  }),
);

export const [createProjectMove, createSnippetMove, createGroupMove] = forKinds((kind) =>
  endpoint({
    post: `${kind.path}/repository_storage_moves`,
    summary: `Move the repository of ${kind.nounWithArticle} to another storage`,
    description:
      'Returns the move in state `scheduled`; the files are copied and verified in the background. The repository is read-only until then. If it is already read-only, the response is 400. Without `destination_storage_name`, another storage is chosen by weight. A failed move leaves the repository where it was.',
    access: kind.adminAccess(),
    params: {
      destination_storage_name: describe(
        optional(string),
        'The name of a storage; by default, another one is chosen by weight.',
      ),
    },
    errors: { invalid: INVALID, notFound: [404, `404 ${kind.title} Not Found`] },
    response: created(getMoveEntity(kind)),
    handle({ caller, containerId, params }, { runUnitOfWork, config }) {
      const input = { destination: params.destination_storage_name ?? null, storages: Object.keys(config.storages) };
      return runUnitOfWork(caller, (uow) => scheduleMove(uow, kind, containerId, input));
    },
  }),
);

import { deleteSome } from '../../../database/some.ts';
import { subscription } from '../../../facts/bus.ts';
import { PIECE, pieceOf } from '../../../facts/pieces.ts';

/** Environments go with their project, of which there may be very many. index: environments_by_project */
export const endWithProject = subscription({
  fact: 'project-destroyed',
  inPieces: (act, { projectId }) =>
    pieceOf(() => deleteSome(act, { table: 'environments', column: 'project_id' }, projectId, PIECE)),
});

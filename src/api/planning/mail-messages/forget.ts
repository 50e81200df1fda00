import { deleteSome } from '../../../database/some.ts';
import { subscription } from '../../../facts/bus.ts';
import { PIECE, pieceOf } from '../../../facts/pieces.ts';

/** The mails to a deleted user go with him, of which there may be very many. index: mail_messages_by_recipient */
export const forgetMails = subscription({
  fact: 'user-deleted',
  inPieces: (act, { userId }) =>
    pieceOf(() => deleteSome(act, { table: 'mail_messages', column: 'recipient_id' }, userId, PIECE)),
});

import { deleteSome } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** The mails to a deleted user go with him, of which there may be very many. index: mail_messages_by_recipient */
export const forgetMails = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    pieceOf(() => deleteSome(uow, { table: 'mail_messages', column: 'recipient_id' }, userId, PIECE)),
});

import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import {
  onEmojiAwarded,
  onMergeConflicts,
  onMergeRequestApproved,
  onNoteableUpdated,
  onNotifiableEvent,
  onTextUpdated,
} from './on-events.ts';
import { onMembershipEnded, onNoteableHidden, onTransferred, onVisibilityReduced } from './on-visibility-lost.ts';

export const todos = resourceModule({
  endpoints,
  subscriptions: [
    onNotifiableEvent,
    onEmojiAwarded,
    onMergeRequestApproved,
    onNoteableUpdated,
    onTextUpdated,
    onMergeConflicts,
    onMembershipEnded,
    onTransferred,
    onVisibilityReduced,
    onNoteableHidden,
  ],
});

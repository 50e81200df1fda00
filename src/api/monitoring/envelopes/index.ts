import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/**
 * Taking in what programs report by themselves.
 *
 * SDKs send envelopes, or events alone, to `api/monitoring/envelopes/`. Who sends it is asked before the body is read, unless only the
 * body says so, and once more when it is kept. The body is held as it came and decoded in a stream, of which no more is kept than
 * items that count (`envelope-reader.ts` reads pieces of bytes); large ones wait for one another. What an event means is pure
 * (`event-reader.ts`, `grouping.ts`, `session-reader.ts`), and never refuses. What comes at the same time is gathered (`store-report.ts`): the rows of all
 * reports together are added by as many statements as those of one, in the turns of their projects, and a report that is sent twice
 * counts once by its event's id. What an error shows of all its events (how many, whose, where, in which hours) is counted as they come:
 * `errors/` reads the newest and the oldest event and no other, however many there are. Stacks are made of what was received when
 * they are shown. What is too old goes daily, by so many bytes at a time.
 */
export const envelopes = resourceModule({ endpoints });

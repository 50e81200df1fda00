import type { Rooms } from '../../../http/rooms.ts';

/** What moving takes. */
export type MovingRooms = Pick<Rooms, 'database' | 'git' | 'clock' | 'log'>;

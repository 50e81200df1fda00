import type { Rooms } from '#http/services.ts';

/** What moving takes. */
export type MovingRooms = Pick<Rooms, 'database' | 'git' | 'clock' | 'log'>;

import { test } from 'node:test';
import { engine, testPlace } from '../engines/engine.ts';
import { killMoves } from './storage-moves.ts';

// HEARTH_CRASH_MOVES sets the number of kills on both engines. By default only one engine is tested: the database survives.
const { HEARTH_CRASH_MOVES: wanted } = process.env;
const options = { skip: wanted === undefined && engine !== 'sqlite' };

test(
  'a server killed at any step of a storage move keeps one complete repository with all acknowledged pushes',
  options,
  async () => {
    await using place = await testPlace();
    const kills = Number(wanted ?? 2);
    await killMoves({ kills, dataDir: place.dataDir, databaseUrl: place.url });
  },
);

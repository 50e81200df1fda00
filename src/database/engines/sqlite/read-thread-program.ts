import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import type { ReadThreadData, ReadThreadRequest, ReadThreadResponse } from './read-thread.ts';

// The program of a read thread: runs each statement and replies with its rows or its error.

const { file, interruptFlag } = workerData as ReadThreadData;
const connection = openConnection(file, () => {
  if (Atomics.load(interruptFlag, 0) === 1) throw new Error('The statement was interrupted');
});
connection.database.exec('pragma query_only = on');

parentPort!.on('message', (request: ReadThreadRequest) => parentPort!.postMessage(runRequest(request)));

function runRequest(request: ReadThreadRequest): ReadThreadResponse {
  try {
    return { result: connection.execute(request) };
  } catch (error) {
    return { error };
  }
}

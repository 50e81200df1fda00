import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import type { ReadThreadRequest, ReadThreadResponse } from './read-thread.ts';

// The program of the read thread: runs each statement and replies with its rows or its error.

const connection = openConnection(workerData as string);
connection.database.exec('pragma query_only = on');

parentPort!.on('message', (question: ReadThreadRequest) => parentPort!.postMessage(runRequest(question)));

function runRequest(question: ReadThreadRequest): ReadThreadResponse {
  try {
    return { result: connection.execute(question) };
  } catch (error) {
    return { error };
  }
}

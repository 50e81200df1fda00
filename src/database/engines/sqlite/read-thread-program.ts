import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import type { Question, Told } from './read-thread.ts';

// What runs in the reading thread: answers each statement with its rows, or with its error.

const connection = openConnection(workerData as string);
connection.database.exec('pragma query_only = on');

parentPort!.on('message', (question: Question) => parentPort!.postMessage(told(question)));

function told(question: Question): Told {
  try {
    return { result: connection.execute(question) };
  } catch (error) {
    return { error };
  }
}

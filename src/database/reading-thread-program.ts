import { parentPort, workerData } from 'node:worker_threads';
import type { Question, Told } from './reading-thread.ts';
import { openConnection } from './sqlite-connection.ts';

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

/** Sends a signal to the leader of a process group and its children (index-pack, pack-objects, hooks). */
export function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // The group has exited already.
  }
}

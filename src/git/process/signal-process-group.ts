/** To a process that leads a group and to what it has started itself (index-pack, pack-objects, hooks). */
export function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // It has ended already.
  }
}

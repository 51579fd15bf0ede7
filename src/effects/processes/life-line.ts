import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, statfsSync } from 'node:fs'

// A pipe with a name that the shim of a run holds open, and with it each process that it starts. The kernel closes it with
// the last of them, so it proves their end also where their numbers mean nothing: in another pid namespace of the same boot.

/** File systems that several machines may share: a pipe there connects only the processes of one of them. */
const shared = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400, 0x5346414f])

/** Makes the pipe, which is repeated after a crash. Without the program, or on a system without pipes, there is none. */
export const makeLifeLine = (path: string): void => {
  if (existsSync(path)) return
  try {
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' })
  } catch {
    // Nothing can be proven for this run in another namespace then.
  }
}

/** True only if no process holds the pipe. False if one does, and if the pipe proves nothing. */
export const isCut = (path: string): boolean => {
  try {
    if (shared.has(Number(statfsSync(path).type))) return false
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return false
  } catch (error) {
    // A pipe that no process reads.
    return (error as NodeJS.ErrnoException).code === 'ENXIO'
  }
}

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placeHere } from '../processes/identity.ts'

/** The prefix of these folders' names; the number of their process and its pid namespace follow. */
const PREFIX = 'aiswarm-radar-'

const folders = new Set<string>()
let watching = false

/** Creates a folder that is deleted at the end of this process; if the process is killed, the next one deletes it. */
export const makeFolder = (): string => {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}.${namespaceHere()}-`))
  folders.add(folder)
  if (!watching) process.once('exit', () => folders.forEach(removeFolder))
  watching = true
  return folder
}

export const removeFolder = (folder: string): void => {
  folders.delete(folder)
  rmSync(folder, { recursive: true, force: true })
}

const sweep = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    const [, pid, namespace] = /^(\d+)\.(\d*)-/.exec(name.slice(PREFIX.length)) ?? []
    // Containers may share this folder; the process numbers of another one are meaningless here.
    if (pid === undefined || namespace !== namespaceHere() || isAlive(Number(pid))) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

/** The pid namespace in which our number is valid. */
const namespaceHere = (): string => placeHere()?.split('#').at(-1) ?? ''

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

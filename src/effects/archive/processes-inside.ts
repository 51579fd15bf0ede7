import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isWithin } from '../../domain/worktree.ts'
import { outputOf } from '../process.ts'
import { readProcessTable } from '../process-table.ts'

export interface ProcessInside {
  readonly pid: number
  readonly name: string
  /** An agent of this repository, or what it or the setup of a worktree started. */
  readonly ours: boolean
}

/**
 * Processes whose working directory is the folder or lies in it, apart from this one. What belongs to other people cannot
 * be seen; where neither /proc nor lsof is there, nothing can.
 */
export const processesInside = async (root: string, folder: string): Promise<readonly ProcessInside[]> => {
  const found = (process.platform === 'linux' ? inProc(folder) : await byLsof(folder)).filter(({ pid }) => pid !== process.pid && pid !== starter())
  if (found.length === 0) return []
  const ours = oursAmong(root)
  return found.map((one) => ({ ...one, ours: ours(one.pid) }))
}

/** The process that started us on another Node waits for us and does nothing else. */
const starter = (): number | undefined => (process.channel ? process.ppid : undefined)

const inProc = (folder: string): { pid: number; name: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const cwd = readlinkSync(`/proc/${pid}/cwd`)
        return isWithin(cwd, folder) ? [{ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }] : []
      } catch {
        return []
      }
    })

const byLsof = async (folder: string): Promise<{ pid: number; name: string }[]> => {
  const out = (await outputOf('lsof', ['-w', '-a', '-d', 'cwd', '-F', 'pcn'], { cwd: '/', timeout: 10_000 })) ?? ''
  return out.split(/^(?=p\d)/m).flatMap((block) => {
    const value = (letter: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(letter))
        ?.slice(1)
    const cwd = value('n')
    return cwd !== undefined && isWithin(cwd, folder) ? [{ pid: Number(value('p')), name: value('c') ?? '' }] : []
  })
}

/** By its marker, or that of a process above it: what an agent starts may have emptied its environment. */
const oursAmong = (root: string): ((pid: number) => boolean) => {
  const above = new Map(readProcessTable().map(({ pid, parent, session }) => [pid, { parent, session }]))
  return (pid) => {
    for (let one: number | undefined = pid; one !== undefined && one > 1; one = above.get(one)?.parent) if (isMarked(one, root)) return true
    const session = above.get(pid)?.session
    return session !== undefined && session > 1 && isMarked(session, root)
  }
}

const isMarked = (pid: number, root: string): boolean => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    // A person's shell in the worktree knows the repository too, but is nobody's.
    return environment.includes(`AISWARM_ROOT=${root}`) && environment.some((one) => /^AISWARM_(AGENT_ID|BUILDS)=/.test(one))
  } catch {
    return false
  }
}

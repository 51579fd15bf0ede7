import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import { cutWords, outputOf } from './process.ts'
import { readProcessTable } from './table.ts'

export interface ProcessInside {
  readonly pid: number
  readonly name: string
  /** True for an agent of this repository, and for any process that an agent or the setup of a worktree started. */
  readonly ours: boolean
}

/**
 * Processes whose working directory is in the folder, without this one. Processes of other users cannot be seen, and
 * without /proc and lsof none can.
 */
export const processesInside = async (root: string, folder: string): Promise<readonly ProcessInside[]> => {
  const found = (process.platform === 'linux' ? inProc(folder) : await byLsof(folder)).filter(
    ({ pid }) => pid !== process.pid && pid !== starter(),
  )
  if (found.length === 0) return []
  const ours = oursAmong(root)
  return found.map((one) => ({ ...one, ours: ours(one.pid) }))
}

/** The process that restarted this program on another Node only waits for it. */
const starter = (): number | undefined => (process.channel ? process.ppid : undefined)

const inProc = (folder: string): { pid: number; name: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const cwd = readlinkSync(`/proc/${pid}/cwd`)
        return isWithin(cwd, folder)
          ? [{ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() }]
          : []
      } catch {
        return []
      }
    })

/** How long it may take (ms), and the bytes that it may print: about 60 for each process. */
const LSOF = { timeout: 10_000, most: 16 * 1024 ** 2 } as const

const byLsof = async (folder: string): Promise<{ pid: number; name: string }[]> => {
  const { output, cut } = await outputOf('lsof', ['-w', '-a', '-d', 'cwd', '-F', 'pcn'], {
    cwd: '/',
    timeout: LSOF.timeout,
    most: LSOF.most,
  })
  // A folder in which a program may work is not empty.
  if (cut !== null)
    throw new Refusal(
      'folder_in_use',
      `It is not known which processes work in ${folder}: ${cutWords('lsof', cut, LSOF.timeout)}. Try again.`,
    )
  return output.split(/^(?=p\d)/m).flatMap((block) => {
    const value = (letter: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(letter))
        ?.slice(1)
    const cwd = value('n')
    return cwd !== undefined && isWithin(cwd, folder) ? [{ pid: Number(value('p')), name: value('c') ?? '' }] : []
  })
}

/**
 * Recognises a process by its marker or that of an ancestor, because a program that an agent starts may have cleared
 * its environment.
 */
const oursAmong = (root: string): ((pid: number) => boolean) => {
  const above = new Map(readProcessTable().map(({ pid, parent, session }) => [pid, { parent, session }]))
  return (pid) => {
    for (let one: number | undefined = pid; one !== undefined && one > 1; one = above.get(one)?.parent)
      if (isMarked(one, root)) return true
    const session = above.get(pid)?.session
    return session !== undefined && session > 1 && isMarked(session, root)
  }
}

const isMarked = (pid: number, root: string): boolean => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    // A person's shell in the worktree has AISWARM_ROOT too, but belongs to no agent.
    return (
      environment.includes(`AISWARM_ROOT=${root}`) && environment.some((one) => /^AISWARM_(AGENT_ID|BUILDS)=/.test(one))
    )
  } catch {
    return false
  }
}

import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Instant } from '../../domain/words/time.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { runFolder } from '../files/paths.ts'
import { endMarked } from '../processes/signals.ts'
import { isMarked, processesMarked } from '../processes/table.ts'
import { markers } from '../runs/identity.ts'
import { stampOf } from '../worktrees/trash.ts'

// Runs that only the disk of this host knows: the board was restored to a time before they began.

type Run = Pick<AgentRun, 'agentId' | 'run'>

const FILE = /^(.+)\.(\d+)\.\w+$/

const filesOfRuns = (root: string): readonly { readonly name: string; readonly run: Run }[] =>
  readdirSync(runFolder(root)).flatMap((name) => {
    const [, agentId, run] = FILE.exec(name) ?? []
    return agentId === undefined ? [] : [{ name, run: { agentId, run: Number(run) } }]
  })

/** Kills the processes of every run that this host has ever had; none of them counts on the board any more. */
export const endAllRuns = async (root: string): Promise<void> => {
  const here = processesMarked({ AISWARM_ROOT: root })
  const seen = new Set<string>()
  for (const { run } of filesOfRuns(root)) {
    const key = `${run.agentId} ${run.run}`
    if (seen.has(key)) continue
    seen.add(key)
    const marked = markers(root, run)
    if (here.some((pid) => isMarked(pid, marked))) await endMarked(marked)
  }
}

/** Puts the files of all runs aside, since the board gives out their numbers again. */
export const putRunsAside = (root: string, at: Instant): void => {
  const files = filesOfRuns(root)
  if (files.length === 0) return
  const aside = join(runFolder(root), `before-${stampOf(at)}`)
  mkdirSync(aside, { recursive: true, mode: 0o700 })
  for (const { name } of files) renameSync(join(runFolder(root), name), join(aside, name))
}

import { existsSync } from 'node:fs'
import type { World } from './world.ts'
import { checkDatabase } from '../operations/maintain-database.ts'
import { git, gitBinary } from './git.ts'
import { configPath } from './places.ts'
import { which } from './which.ts'

export interface Diagnosis {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** What aiswarm needs and what it found, a line each. */
export const diagnose = async (world: World): Promise<readonly Diagnosis[]> => {
  const { core, kinds } = world
  const damage = checkDatabase(core)
  return [
    { name: 'node', ok: true, detail: `${process.versions.node} at ${process.execPath}` },
    { name: 'git', ok: true, detail: `${(await git(core.root, ['version'])).trim().replace('git version ', '')} at ${gitBinary()}` },
    { name: 'repository', ok: true, detail: core.root },
    { name: 'configuration', ok: true, detail: existsSync(configPath(core.root)) ? configPath(core.root) : 'none; the defaults hold' },
    { name: 'database', ok: damage.ok, detail: damage.ok ? core.store.path : damage.findings.slice(0, 3).join('; ') },
    ...[...kinds.values()].map(({ name }): Diagnosis => {
      const program = core.settings.agents.kinds[name]?.command[0]
      if (program === undefined) return { name: `agent kind ${name}`, ok: true, detail: 'runs the command of a task; needs nothing installed' }
      const path = which(program, core.root, process.env['PATH'] ?? '')
      return { name: `agent kind ${name}`, ok: path !== undefined, detail: path ?? `'${program}' was not found on PATH` }
    }),
  ]
}

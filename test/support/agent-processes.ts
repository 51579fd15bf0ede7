import { readdirSync, readFileSync } from 'node:fs'

/** The variables of a process. */
export const environmentOf = (pid: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .slice(0, -1)
      .map((line) => {
        const at = line.indexOf('=')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
  )

/** The processes of agents of a clone: shims, relays and programs. */
export const agentsOf = (root: string): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const { AISWARM_AGENT_ID: id, AISWARM_ROOT: of } = environmentOf(Number(name))
      return id !== undefined && of === root ? [Number(name)] : []
    } catch {
      return []
    }
  })

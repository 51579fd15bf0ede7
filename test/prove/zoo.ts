import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Figures, type Proof, requirePrograms } from './proof.ts'

/**
 * Agents that end in every way that a process can, each in a pid namespace where a canary records every signal that it
 * receives: every process of the agent with its marker is ended, and no other.
 */
export const zoo: Proof = {
  name: 'zoo',
  shows:
    'Ending an agent, however its processes behave, signals nothing but its own; a killed supervisor and one in another pid namespace leave it its task.',
  run: async ({ divisor, day }) => {
    requirePrograms('unshare', 'setsid')
    const inside = join(import.meta.dirname, 'zoo-inside.ts')
    const child = spawn(
      'unshare',
      ['-pf', '--mount-proc', '--kill-child', process.execPath, '--no-warnings', inside, String(divisor), String(day)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (out += piece))
    const [code] = (await once(child, 'close')) as [number | null]
    const last = out.trim().split('\n').at(-1) ?? ''
    if (code !== 0 || !last.startsWith('{'))
      throw new Error(`the zoo ended with code ${code}; unshare needs root or user namespaces.`)
    return JSON.parse(last) as Figures
  },
}

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { clis } from '../real-agents/clis.ts'
import type { Figures, Proof } from './proof.ts'

const root = resolve(import.meta.dirname, '../..')

/** A tenth is one CLI, a different one each day. */
export const agents: Proof = {
  name: 'agents',
  shows:
    'The newest version of each real agent CLI, through the real launcher on a real board, with a model that follows a script.',
  run: (share) => {
    const names = share.some(clis).map(({ name }) => name)
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/real-agents/run.ts', ...names], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
    })
    const figures = figuresOfRun(stdout)
    // A run that fails without a failed case has failed as a whole.
    const whole =
      status !== 0 && figures.violations.length === 0
        ? [`test/real-agents/run.ts ended with code ${status}: ${stderr.trim().split('\n').at(-1) ?? ''}`]
        : []
    return Promise.resolve({
      counts: { CLIs: names.length, ...figures.counts },
      violations: [...figures.violations, ...whole],
    })
  },
}

/** Reads the output of `npm run test:agents`: a line for each case, and one for each CLI that could not be installed. */
export const figuresOfRun = (printed: string): Figures => {
  const lines = printed.split('\n').map((line) => line.trim())
  const violations = lines.filter((line) => / ✗ /.test(line)).map((line) => line.replace(/\s+/g, ' '))
  return { counts: { 'passed cases': lines.filter((line) => / ✓ /.test(line)).length }, violations }
}

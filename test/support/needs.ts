import type { TestContext } from 'vitest'

/**
 * Skips a test on a machine that cannot run it, with the reason. If nothing may be skipped (`AISWARM_SKIP=never`), the
 * test fails with that reason instead.
 */
export const needs = ({ task, skip }: TestContext, met: boolean, reason: string): void => {
  if (met) return
  if (process.env['AISWARM_SKIP'] === 'never') throw new Error(`This machine cannot run it: ${reason}.`)
  console.warn(`not run: ${task.fullName}: ${reason}`)
  skip(reason)
}

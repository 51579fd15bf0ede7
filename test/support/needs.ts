import type { TestContext } from 'vitest'

/**
 * Skips a test on a machine that cannot run it, and says so with the reason; where everything is to be proved
 * (`AISWARM_SKIP=never`), the test fails with it instead.
 */
export const needs = ({ task, skip }: TestContext, met: boolean, reason: string): void => {
  if (met) return
  if (process.env['AISWARM_SKIP'] === 'never') throw new Error(`This machine cannot run it: ${reason}.`)
  console.warn(`not run: ${task.fullName}: ${reason}`)
  skip(reason)
}
